grep -qx timeout=30 client.conf
