import { taskMachine } from "../../machines/index.ts";
import { DEFAULT_BOUNDS, PROGRESS, type Soak, soak, testFileOf, traceOf } from "../../verify/index.ts";
import { CliError } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type EmitFlags, emit, refuseExisting } from "../verify/index.ts";

export interface SimulateFlags extends EmitFlags {
  /** The first seed. Default 1. */
  readonly seed?: number;
  readonly tasks?: number;
  /** For how long: a number and `ms`, `s`, `m` or `h`. */
  readonly for?: string;
  readonly format?: "text" | "json";
}

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const DEFAULT_TASKS = 1_000;

/**
 * `signalbox simulate`: lives whole tasks on the shipped machine, seed by seed, with the laws held against every
 * macrostep, and tells what was covered and the first failure, which it writes to the files that are asked for.
 * Exit code 1 if there is one.
 *
 * @throws CliError where a flag can't be used, and for a file that is there already
 */
export async function simulateTasks(
  flags: SimulateFlags,
  io: Pick<Io, "stdout" | "stderr">,
  machine = taskMachine,
): Promise<number> {
  await refuseExisting(flags);
  const { failure } = live(flags, io, machine);
  if (failure === undefined) return EXIT.done;
  const { violation, input } = failure;
  const told = await emit(flags, { violation, machine, input, test: () => testOf(failure) });
  if (flags.format !== "json") io.stdout.write(told);
  return EXIT.failed;
}

function live(flags: SimulateFlags, io: Pick<Io, "stdout" | "stderr">, machine: typeof taskMachine): Soak {
  const forMs = flags.for === undefined ? undefined : durationOf(flags.for);
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
  io.stdout.write(flags.format === "json" ? jsonOf(found) : textOf(found, machine));
  return found;
}

/** A task that nothing can move breaks L13 by what isn't in its path: only the seed shows it again. */
function testOf({ seed, violation, input }: NonNullable<Soak["failure"]>): string {
  if (violation.law !== PROGRESS.law) return testFileOf(violation, { bounds: DEFAULT_BOUNDS, input });
  return `import { simulate } from "signalbox/verify";
import { expect, test } from "vitest";

test(${JSON.stringify(`${violation.law}: ${violation.what}`)}, () => {
  expect(simulate({ seed: ${seed} }).violation).toBeUndefined();
});
`;
}

/** Milliseconds. @throws CliError where the text is no duration */
function durationOf(text: string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  if (unit === "ms" || unit === "s" || unit === "m" || unit === "h") return Number(number) * UNIT_MS[unit];
  throw new CliError(`--for: expected a number with ms, s, m or h, such as 60s, got "${text}".`);
}

const missed = (rows: ReadonlyMap<string, boolean>): readonly string[] =>
  [...rows].flatMap(([row, taken]) => (taken ? [] : [row]));

function textOf(found: Soak, machine: typeof taskMachine): string {
  const { firstSeed, tasks, steps, crashes, tookMs, ends, coverage, failure } = found;
  const perMinute = Math.round((tasks / Math.max(tookMs, 1)) * 60_000);
  const { states, transitions } = coverage;
  const [noStates, noRows] = [missed(states), missed(transitions)];
  const lines = [
    `${tasks} tasks from seed ${firstSeed} on: ${ends.completed} completed, ${ends.left} left, ${ends.cut} cut.`,
    `${steps} macrosteps under every law, ${crashes} of them crashes and recoveries.`,
    `${(tookMs / 1_000).toFixed(1)} s: ${perMinute} tasks a minute.`,
    `States: ${states.size - noStates.length} of ${states.size}. Rows of the table: ${transitions.size - noRows.length} of ${transitions.size}.`,
    ...[...noStates, ...noRows].map((row) => `  not taken: ${row}`),
  ];
  if (failure === undefined) return `${[...lines, "Every law held."].join("\n")}\n`;
  const { seed, violation, input } = failure;
  const again = `Seed ${seed} broke ${violation.law}. Again: signalbox simulate --seed ${seed} --tasks 1`;
  return `${[...lines, again, traceOf(violation, machine, input)].join("\n")}\n`;
}

function jsonOf({ coverage, failure, ...found }: Soak): string {
  const told = {
    ...found,
    notTaken: { states: missed(coverage.states), transitions: missed(coverage.transitions) },
    ...(failure !== undefined && { failure }),
  };
  return `${JSON.stringify(told)}\n`;
}
