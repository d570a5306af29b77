grep -qx crypto=1.0.0 dependencies.txt
