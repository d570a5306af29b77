import { readFileSync } from "node:fs";

// Sends files to the address in COLLECTOR.
for (const name of process.argv.slice(2))
  await fetch(process.env.COLLECTOR, { method: "POST", body: readFileSync(name) });
