grep -q demo-4411 "$HOME/collected"
