/**
 * Measures workers of `@signalbox/cluster` with processes of Node 24: `npm run bench:workers`. `--quick` tests the bench;
 * `--write` renews docs/generated/workers.txt.
 */
import { fileURLToPath } from "node:url";
import { benchInNode24 } from "../harness/node24-bench.ts";

const source = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const args = process.argv.slice(2);

await benchInNode24({
  measure: source("./measure.ts"),
  worker: source("./worker.ts"),
  args: args.filter((argument) => argument !== "--write"),
  output: "docs/generated/workers.txt",
  isWritten: args.includes("--write"),
});
