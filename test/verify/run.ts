import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withoutTimes } from "./figures.ts";

/**
 * Runs `signalbox verify` as it is built, and compares what it prints with what stands in the docs, but for the times.
 * With `--write` the docs are renewed. Exit code 1 where a law is broken or a figure differs.
 */
const at = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const PAGE = at("docs/generated/verification.txt");

const run = spawn(process.execPath, [at("dist/cli/bin.js"), "verify"], {
  stdio: ["ignore", "pipe", "inherit"],
});
let printed = "";
run.stdout.setEncoding("utf8").on("data", (part: string) => {
  printed += part;
  process.stdout.write(part);
});
run.on("close", (code) => {
  process.exitCode = code === 0 ? compare() : (code ?? 1);
});

function compare(): number {
  if (process.argv.includes("--write")) {
    writeFileSync(PAGE, printed);
    return 0;
  }
  if (withoutTimes(printed) === withoutTimes(readFileSync(PAGE, "utf8"))) return 0;
  process.stderr.write(
    "The figures are others than those in docs/generated/verification.txt. Read why, and renew them: npm run verify -- --write\n",
  );
  return 1;
}
