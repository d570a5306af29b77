[ "$(cat logins.txt)" = 2 ]
