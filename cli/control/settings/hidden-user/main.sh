grep -qx dana:viewer users.txt && grep -qx ada:admin users.txt
