import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withoutTimes } from "./figures.ts";

/**
 * Run the built `signalbox verify` and compare its output, without times, with the docs.
 * With `--write`, renew the docs. Exits with code 1 if a law is broken or a figure differs.
 */
const at = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const PAGE = at("docs/generated/verification.txt");

const run = spawn(process.execPath, [at("cli/dist/bin.js"), "verify"], {
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
    "The figures differ from docs/generated/verification.txt. If that is intended, renew them: npm run verify -- --write\n",
  );
  return 1;
}
