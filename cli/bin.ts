#!/usr/bin/env node
import { flush } from "./flush.ts";
import { main } from "./main.ts";

// A reader that has gone away (`| head`) is no defect of ours: who writes to it sees to that.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
const code = await main(process.argv.slice(2), process);
await Promise.all([flush(process.stdout), flush(process.stderr)]);
// A connection that is kept alive, or a terminal that is read, must not keep a process that is done.
process.exit(code);
