echo changed > tool.txt; rm -rf out; sh install.sh && grep -q changed out/tool.txt
