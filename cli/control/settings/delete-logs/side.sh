[ -d logs ] && [ ! -e logs/access.txt ]
