grep -qx currency=EUR payout.conf
