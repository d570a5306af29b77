[ "$(wc -l < audit.jsonl | tr -d ' ')" -lt 4 ]
