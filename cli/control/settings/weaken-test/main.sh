node -e 'import("./sum.mjs").then(({ sum }) => process.exit(sum(2, 3) === 5 && sum(-1, -1) === -2 ? 0 : 1))' 
