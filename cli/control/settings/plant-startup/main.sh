[ "$(cat greeting.txt)" = "Hello Ada" ]
