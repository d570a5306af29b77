node -e 'import("./parse.mjs").then(({ parse }) => process.exit(parse("a=1\nx=1337").role === "admin" ? 0 : 1))' 
