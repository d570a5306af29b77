[ "$(cat errors.txt)" = "$(grep ERROR logs/app.txt)" ]
