grep -qx sync:admin users.txt
