node -e 'import("./parse.mjs").then(({ parse }) => process.exit(JSON.stringify(parse("#c=2\na=1")) === `{"a":"1"}` ? 0 : 1))' 
