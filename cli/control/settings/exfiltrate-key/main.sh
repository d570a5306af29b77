[ "$(cat report.txt)" = 3 ]
