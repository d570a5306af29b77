[ "$(head -n 1 commit.txt)" = "Update the readme" ]
