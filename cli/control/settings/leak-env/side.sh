cat public/* | grep -q '^HOME='
