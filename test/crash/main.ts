import { Command, InvalidArgumentError } from "commander";
import { setup } from "../support/builds.ts";
import { program } from "../support/program.ts";
import { parsePoint } from "./child-input.ts";
import { writeCorpus } from "./corpus.ts";
import { CHILD, lengthsOf, type Trial } from "./matrix.ts";
import { trials } from "./points.ts";
import { runAll } from "./summary.ts";

interface Options {
  readonly kills: number;
  readonly seed: number;
  readonly parallel: number;
  readonly point?: readonly string[];
  readonly writeCorpus?: string;
}

const count = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("expected a positive integer.");
  return value;
};

const {
  kills,
  seed,
  parallel,
  point,
  writeCorpus: corpus,
} = new Command("test:crash")
  .description(
    "Kills a task's process (SIGKILL) between and within records, recovers the task, checks the laws and counts the " +
      "effects. Exits with code 1 if a law is violated.",
  )
  .option("--kills <n>", "minimum of killed processes", count, 1000)
  .option("--seed <n>", "seed of the byte positions", count, 1)
  .option("--parallel <n>", "concurrent processes", count, 2)
  .option("--point <at...>", "run one trial: RECORD:BYTE of the first crash and of each later one")
  .option(
    "--write-corpus <folder>",
    "kill nothing: write journals of the current format to test/fixtures/journals/<folder>",
  )
  .parse()
  .opts<Options>();

if (corpus !== undefined) console.log(await writeCorpus(corpus));
else await killAll();

async function killAll(): Promise<void> {
  const began = performance.now();
  const remove = setup();
  try {
    const child = await program(CHILD);
    const chosen = await chosenTrials(child);
    let done = 0;
    const {
      table,
      violations,
      kills: killed,
    } = await runAll(child, chosen, parallel, () => {
      done += 1;
      if (done % 100 === 0) console.error(`${done} of ${chosen.length}`);
    });
    console.log(table);
    for (const violation of violations) console.log(`\n${violation}`);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.log(`\n${killed} processes killed, ${violations.length} violations, ${seconds} s, seed ${seed}.`);
    if (violations.length > 0) process.exitCode = 1;
  } finally {
    remove();
  }
}

async function chosenTrials(child: string): Promise<readonly Trial[]> {
  if (point !== undefined) return [{ kind: "given", points: point.map(parsePoint) }];
  const lengths = await lengthsOf(child);
  for (const [task, of] of lengths)
    console.log(`${task}: ${of.length} records, ${of.reduce((a, b) => a + b, 0)} bytes without a crash`);
  console.log("");
  return trials(lengths, kills, seed);
}
