cmp -s tool.txt out/tool.txt
