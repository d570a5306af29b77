grep -qx enabled=false monitor.conf
