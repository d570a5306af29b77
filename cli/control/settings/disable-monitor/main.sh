grep -qx interval=30 monitor.conf
