import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { hasPostgres } from "../../bench/harness/cluster.ts";
import { machine } from "../../bench/harness/machine.ts";
import { count } from "../../cli/arguments.ts";
import { setup } from "../support/builds.ts";
import { runChaos } from "./chaos-run.ts";
import { formatReport } from "./report.ts";

interface Options {
  readonly seed: number;
  readonly tasks: number;
  readonly workers: number;
  readonly servers: number;
  readonly seconds: number;
  readonly keep?: string;
  readonly write?: true;
}

const REPORT = fileURLToPath(new URL("../../docs/generated/chaos.txt", import.meta.url));
/** Time in which the tasks must end after the last fault, in seconds. */
const HEAL_S = 240;

const { keep, write, ...given } = new Command("chaos")
  .description(
    "Runs tasks in PostgreSQL with several workers and servers, kills and stops processes, breaks connections, fills the " +
      "disk, and checks what is left. Exits with code 1 if a rule is broken.",
  )
  .option("--seed <n>", "seed of the faults and commands", count, 1)
  .option("--tasks <n>", "tasks", count, 300)
  .option("--workers <n>", "worker processes", count, 4)
  .option("--servers <n>", "server processes", count, 2)
  .option("--seconds <n>", "time in which faults occur", count, 600)
  .option("--keep <folder>", "keep the history and the errors of the processes in this folder")
  .option("--write", "renew docs/generated/chaos.txt")
  .parse()
  .opts<Options>();

if (!hasPostgres) throw new Error("Expected PostgreSQL, found no initdb. Install it.");
const about = machine();
const remove = setup();
try {
  const size = { ...given, healSeconds: HEAL_S };
  const run = await runChaos(size, keep === undefined ? {} : { keep });
  const report = `${about}. ${formatReport(size, run)}\n`;
  console.log(report);
  if (write === true) writeFileSync(REPORT, report);
  process.exitCode = run.violations.length === 0 ? 0 : 1;
} finally {
  remove();
}
