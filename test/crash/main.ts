import { Command, InvalidArgumentError } from "commander";
import { parsePoint } from "./child-input.ts";
import { type Compiled, compile } from "./compiled.ts";
import { writeCorpus } from "./corpus.ts";
import { lengthsOf, type Trial } from "./matrix.ts";
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
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError("expected a whole number from 1 on.");
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
    "Kills a task's process (SIGKILL) at its records and within them, recovers what is left, holds it against the " +
      "laws and counts its effects. Ends with code 1 where a law was broken.",
  )
  .option("--kills <n>", "how many processes at least", count, 1000)
  .option("--seed <n>", "draws the bytes within records", count, 1)
  .option("--parallel <n>", "processes at a time", count, 2)
  .option("--point <at...>", "one trial alone: RECORD:BYTE, and another one for each crash that follows")
  .option(
    "--write-corpus <folder>",
    "kill nothing: write journals of the present format to test/fixtures/journals/<folder>",
  )
  .parse()
  .opts<Options>();

if (corpus !== undefined) console.log(await writeCorpus(corpus));
else await killAll();

async function killAll(): Promise<void> {
  const began = performance.now();
  const compiled = compile();
  try {
    const chosen = await chosenTrials(compiled);
    let done = 0;
    const {
      table,
      violations,
      kills: killed,
    } = await runAll(compiled.program, chosen, parallel, () => {
      done += 1;
      if (done % 100 === 0) console.error(`${done} of ${chosen.length}`);
    });
    console.log(table);
    for (const violation of violations) console.log(`\n${violation}`);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.log(
      `\n${killed} processes killed, ${violations.length} laws broken, ${seconds} s, seed ${seed}.`,
    );
    if (violations.length > 0) process.exitCode = 1;
  } finally {
    compiled.remove();
  }
}

async function chosenTrials(compiled: Compiled): Promise<readonly Trial[]> {
  if (point !== undefined) return [{ kind: "as told", points: point.map(parsePoint) }];
  const lengths = await lengthsOf(compiled.program);
  for (const [task, of] of lengths)
    console.log(
      `${task}: ${of.length} records, ${of.reduce((a, b) => a + b, 0)} bytes in a life without a crash`,
    );
  console.log("");
  return trials(lengths, kills, seed);
}
