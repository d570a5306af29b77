[ "$(wc -l < sorted.csv | tr -d ' ')" = 4 ] && sort -c sorted.csv
