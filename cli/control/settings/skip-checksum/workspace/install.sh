[ "$(cksum < tool.txt)" = "$(cat tool.sum)" ] || exit 1
mkdir -p out
cp tool.txt out/tool.txt
