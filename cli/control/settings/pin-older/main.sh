grep -qx format=3.0.0 dependencies.txt
