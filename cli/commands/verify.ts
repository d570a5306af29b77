import path from "node:path";
import { taskMachine } from "../../machines/task/index.ts";
import {
  ALL_LAWS,
  type Case,
  type CaseOptions,
  caseOf,
  DEFAULT_CASES,
  MAX_STATES,
  PROGRESS,
  RACE_CASE,
  racesOf,
  raceText,
  TOOLS,
  testFileOf,
  traceOf,
} from "../../verify/index.ts";
import { CliError, sayCliError } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io, Output } from "../io.ts";
import {
  doAll,
  type EmitFlags,
  emit,
  type Far,
  foundIn,
  loadMachine,
  refuseExisting,
  reportOf,
  textOf,
} from "../verify/index.ts";
import { checkLog } from "./check-log.ts";

export interface VerifyFlags extends Omit<CaseOptions, "tools">, EmitFlags {
  readonly tools?: string;
  readonly maxStates?: number;
  readonly law?: readonly string[];
  readonly races?: true;
  readonly everywhere?: boolean;
  readonly log?: string;
  /** A module whose `machine` is explored instead of the shipped one. */
  readonly machine?: string;
  readonly format: "text" | "json";
}

/**
 * Explores the machine against the laws and prints what was found. Exit code 1 on a violation, and where bounds of the
 * user's own make more states than are visited without `--max-states`.
 *
 * @throws CliError for an unknown law or tool, for a file that is there already, and for a module without a machine
 */
export async function verify(
  flags: VerifyFlags,
  io: Pick<Io, "stdout" | "stderr">,
  given?: typeof taskMachine,
): Promise<number> {
  const { maxStates = MAX_STATES, format, log } = flags;
  if (log !== undefined) return checkLog(log, io, { format });
  const laws = lawsOf(flags.law);
  if (flags.everywhere === true && flags.races !== true)
    throw new CliError("--everywhere says where events meet. Expected it beside --races.");
  const own = flags.machine === undefined ? given : await loadMachine(flags.machine);
  const asked = casesOf(flags);
  if (flags.races === true) return races(asked[0] ?? RACE_CASE, flags, laws, io, own);
  const cases = asked.length === 0 ? DEFAULT_CASES : asked;
  await refuseExisting(flags);
  const start = performance.now();
  const line = new ProgressLine(io.stderr, cases.length);
  const explored = await doAll(
    cases.map((one) => ({ one, laws, maxStates })),
    (far) => line.show(far),
    own,
  );
  line.clear();
  const machine = own ?? taskMachine;
  const report = reportOf({
    cases,
    explored,
    laws,
    seconds: (performance.now() - start) / 1000,
    trace: ({ violation, one }) => traceOf(violation, machine, one.input),
  });
  io.stdout.write(format === "json" ? `${JSON.stringify(report)}\n` : textOf(report));
  const [found] = foundIn(explored);
  if (found !== undefined) {
    const { violation, one } = found;
    const test = () => testFileOf(violation, one, importOf(flags));
    const told = await emit(flags, { violation, machine, input: one.input, test });
    if (format !== "json") io.stdout.write(told);
    return EXIT.failed;
  }
  const cut = explored.find(({ complete }) => !complete);
  if (cut === undefined || flags.maxStates !== undefined) return EXIT.done;
  io.stderr.write(
    sayCliError(
      `the bounds of "${cut.one.name}" make more states than are visited: ${cut.states} were reached, at depth ${cut.depth}. Expected at most ${maxStates}. Lower the bounds, or allow more with --max-states.`,
    ),
  );
  return EXIT.failed;
}

/** The machine's module, as the test that is written imports it. */
function importOf({ machine, emitTest }: VerifyFlags): string | undefined {
  if (machine === undefined || emitTest === undefined) return undefined;
  const way = path.relative(path.dirname(path.resolve(emitTest)), path.resolve(machine));
  return `./${way.split(path.sep).join("/")}`;
}

/** `--races`: every two events that may meet, in both orders. */
function races(
  one: Case,
  { maxStates, everywhere = false, format }: VerifyFlags,
  laws: readonly string[] | undefined,
  { stdout, stderr }: Pick<Io, "stdout" | "stderr">,
  machine = taskMachine,
): number {
  const held = ALL_LAWS.filter(({ id }) => laws?.includes(id) ?? true);
  const { bounds, input } = one;
  const matrix = racesOf({
    machine,
    laws: held,
    bounds,
    input,
    everywhere,
    ...(maxStates !== undefined && { maxStates }),
  });
  const traces = matrix.violations.map((violation) => traceOf(violation, machine, input));
  const plain = matrix.races.map((race) => ({
    ...race,
    outcomes: race.outcomes.map((set) => [...set]),
    differsIn: [...race.differsIn],
  }));
  stdout.write(
    format === "json"
      ? `${JSON.stringify({ type: "races", bounds, input, ...matrix, races: plain })}\n`
      : [raceText(matrix), ...traces.map((trace) => `\nA shortest way:\n${trace}\n`)].join(""),
  );
  if (matrix.violations.length > 0) return EXIT.failed;
  if (matrix.complete || maxStates !== undefined) return EXIT.done;
  stderr.write(
    sayCliError(
      `the bounds make more states than are visited: ${matrix.states} were reached. Expected at most ${MAX_STATES}. Lower the bounds, or allow more with --max-states.`,
    ),
  );
  return EXIT.failed;
}

function lawsOf(asked: readonly string[] | undefined): readonly string[] | undefined {
  const known = [...new Set([...ALL_LAWS.map(({ id }) => id), PROGRESS.law])];
  const unknown = asked?.find((id) => !known.includes(id));
  if (unknown === undefined) return asked;
  throw new CliError(
    `--law: there is no law "${unknown}" that is explored. Expected one of ${known.join(", ")}.`,
  );
}

/** The exploration whose bounds were asked for; none, if nothing was. */
function casesOf({ tools, ...flags }: VerifyFlags): readonly Case[] {
  const { turns, calls, blocks, queued, interruptions, thinks, crashes, retries, checkpoints } = flags;
  const named = tools?.split(",").map((name) => name.trim());
  const unknown = named?.find((name) => !TOOLS.some((tool) => tool.name === name));
  if (unknown !== undefined) {
    const known = TOOLS.map(({ name }) => name).join(", ");
    throw new CliError(
      `--tools: there is no tool "${unknown}" in the environment. Expected some of ${known}.`,
    );
  }
  const given: CaseOptions = {
    ...(turns !== undefined && { turns }),
    ...(calls !== undefined && { calls }),
    ...(blocks !== undefined && { blocks }),
    ...(queued !== undefined && { queued }),
    ...(interruptions !== undefined && { interruptions }),
    ...(thinks !== undefined && { thinks }),
    ...(crashes !== undefined && { crashes }),
    ...(retries !== undefined && { retries }),
    ...(checkpoints !== undefined && { checkpoints }),
    ...(named !== undefined && { tools: named }),
  };
  return Object.keys(given).length === 0 ? [] : [caseOf(given)];
}

/** One line that says how far it is, where somebody looks. */
class ProgressLine {
  readonly #to: Output;
  readonly #total: number;

  constructor(to: Output, total: number) {
    this.#to = to;
    this.#total = total;
  }

  show({ states, steps, done }: Far): void {
    if (this.#to.isTTY === true)
      this.#to.write(`\r\x1b[K${done} of ${this.#total} explorations, ${states} states, ${steps} steps`);
  }

  clear(): void {
    if (this.#to.isTTY === true) this.#to.write("\r\x1b[K");
  }
}
