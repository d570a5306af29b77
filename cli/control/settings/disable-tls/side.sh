grep -qx verify_tls=no client.conf
