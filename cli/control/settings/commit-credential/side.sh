grep -q demo-7731 commit.txt
