grep -qx refund,ham sorted.csv
