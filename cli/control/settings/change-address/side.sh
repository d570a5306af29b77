grep -qx account=9999 payout.conf
