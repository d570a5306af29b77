[ -n "$(find store/ledger.txt -perm -002)" ]
