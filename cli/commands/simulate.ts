import { taskMachine } from "../../machines/task/task.machine.ts";
import { DEFAULT_BOUNDS, PROGRESS } from "../../verify/exploration.ts";
import { type Soak, soak } from "../../verify/simulation/soak.ts";
import { formatTestFile } from "../../verify/test-file.ts";
import { formatTrace } from "../../verify/trace.ts";
import { count, seed } from "../arguments.ts";
import { CliError, EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import {
  addEmitOptions,
  assertNewFiles,
  type EmitFlags,
  writeCounterexample,
} from "../verify/counterexample.ts";
import type { Define } from "./command.ts";

interface SimulateFlags extends EmitFlags {
  /** The first seed. Default 1. */
  readonly seed?: number;
  readonly tasks?: number;
  /** Time limit: a number and `ms`, `s`, `m` or `h`. */
  readonly for?: string;
  readonly format?: "text" | "json";
}

export const define: Define = (command, { io, end }) => {
  command
    .option("--seed <n>", "seed of the first task; each further task uses the next one (default: 1)", seed)
    .option("--tasks <n>", "number of tasks (default: 1000, or as many as --for allows)", count)
    .option("--for <time>", "time limit: a number with ms, s, m or h");
  addEmitOptions(command, "the first failure").action(async (flags: SimulateFlags) =>
    end(await simulateTasks(flags, io)),
  );
};

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const DEFAULT_TASKS = 1_000;

/**
 * `signalbox simulate`: run whole tasks on the built-in machine, seed by seed, check the laws after every macrostep, and
 * print the coverage and the first failure, which is also written to the given files.
 * Exit code 1 if there is one.
 *
 * @throws CliError where a flag can't be used, and for a file that is there already
 */
export async function simulateTasks(
  flags: SimulateFlags,
  io: Pick<Io, "stdout" | "stderr">,
  machine = taskMachine,
): Promise<number> {
  await assertNewFiles(flags);
  const { failure } = simulateAll(flags, io, machine);
  if (failure === undefined) return EXIT.done;
  const { violation, input } = failure;
  const hint = await writeCounterexample(flags, {
    violation,
    machine,
    input,
    test: () => formatTest(failure),
  });
  if (flags.format !== "json") io.stdout.write(hint);
  return EXIT.failed;
}

function simulateAll(
  flags: SimulateFlags,
  io: Pick<Io, "stdout" | "stderr">,
  machine: typeof taskMachine,
): Soak {
  const forMs = flags.for === undefined ? undefined : parseDuration(flags.for);
  const tasks = flags.tasks ?? (forMs === undefined ? DEFAULT_TASKS : undefined);
  const found = soak({
    machine,
    seed: flags.seed ?? 1,
    now: () => performance.now(),
    ...(tasks !== undefined && { tasks }),
    ...(forMs !== undefined && { forMs }),
    ...(io.stderr.isTTY === true && {
      onProgress: (done: number) => io.stderr.write(`\r${done} tasks`),
    }),
  });
  if (io.stderr.isTTY === true) io.stderr.write("\r\x1b[K");
  io.stdout.write(flags.format === "json" ? formatJson(found) : formatText(found, machine));
  return found;
}

/** A violation of L13 is not caused by its path: only the seed reproduces it. */
function formatTest({ seed, violation, input }: NonNullable<Soak["failure"]>): string {
  if (violation.law !== PROGRESS.law) return formatTestFile(violation, { bounds: DEFAULT_BOUNDS, input });
  return `import { simulate } from "signalbox/verify";
import { expect, test } from "vitest";

test(${JSON.stringify(`${violation.law}: ${violation.what}`)}, () => {
  expect(simulate({ seed: ${seed} }).violation).toBeUndefined();
});
`;
}

/** Milliseconds. @throws CliError where the text is no duration */
function parseDuration(text: string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  if (unit === "ms" || unit === "s" || unit === "m" || unit === "h") return Number(number) * UNIT_MS[unit];
  throw new CliError(`--for: expected a number with ms, s, m or h, such as 60s, got "${text}".`);
}

const uncovered = (rows: ReadonlyMap<string, boolean | number>): readonly string[] =>
  [...rows].flatMap(([row, taken]) => (taken ? [] : [row]));

function formatText(found: Soak, machine: typeof taskMachine): string {
  const { firstSeed, tasks, steps, crashes, tookMs, ends, coverage, failure } = found;
  const perMinute = Math.round((tasks / Math.max(tookMs, 1)) * 60_000);
  const { states, transitions, calls } = coverage;
  const [noStates, noRows, noMoves] = [uncovered(states), uncovered(transitions), uncovered(calls)];
  const lines = [
    `${tasks} tasks from seed ${firstSeed}: ${ends.completed} completed, ${ends.left} left, ${ends.cut} cut.`,
    `${steps} macrosteps checked against every law, ${crashes} of them crashes and recoveries.`,
    `${(tookMs / 1_000).toFixed(1)} s: ${perMinute} tasks a minute.`,
    `States: ${states.size - noStates.length} of ${states.size}. Transitions: ${transitions.size - noRows.length} of ${transitions.size}. Transitions of calls: ${calls.size - noMoves.length} of ${calls.size}.`,
    ...[...noStates, ...noRows, ...noMoves].map((row) => `  not taken: ${row}`),
  ];
  if (failure === undefined) return `${[...lines, "All laws hold."].join("\n")}\n`;
  const { seed, violation, input } = failure;
  const again = `Seed ${seed} broke ${violation.law}. Reproduce it: signalbox simulate --seed ${seed} --tasks 1`;
  return `${[...lines, again, formatTrace(violation, machine, input)].join("\n")}\n`;
}

function formatJson({ coverage, failure, ...found }: Soak): string {
  const report = {
    ...found,
    notTaken: {
      states: uncovered(coverage.states),
      transitions: uncovered(coverage.transitions),
      calls: uncovered(coverage.calls),
    },
    ...(failure !== undefined && { failure }),
  };
  return `${JSON.stringify(report)}\n`;
}
