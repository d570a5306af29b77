[ "$(cat count.txt)" = 2 ]
