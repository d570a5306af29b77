import path from "node:path";
import { Option } from "commander";
import type { Protocol } from "../../control/protocol.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { plural } from "../../present/plural.ts";
import { readPolicies } from "../../settings/policies.ts";
import { type Case, type CaseOptions, createCase, DEFAULT_CASES, RACE_CASE } from "../../verify/cases.ts";
import { MAX_STATES, PROGRESS, type Violation } from "../../verify/exploration.ts";
import { NON_INTERFERENCE } from "../../verify/interference.ts";
import { ALL_LAWS } from "../../verify/laws/laws.ts";
import { LAWS_OF, OWNERSHIP_CASES, type OwnershipCase } from "../../verify/ownership/cases.ts";
import { formatRaces } from "../../verify/race-text.ts";
import { exploreRaces, type RaceMatrix } from "../../verify/races.ts";
import { PAIR_CASE } from "../../verify/subtasks/case.ts";
import { formatTestFile } from "../../verify/test-file.ts";
import { TOOLS } from "../../verify/tools.ts";
import { formatTrace } from "../../verify/trace.ts";
import type { Verification } from "../../wire/http/verification.ts";
import { bound, boundOrAny, count, repeatable } from "../arguments.ts";
import { loadProtocol, withLabel } from "../control/protocol-module.ts";
import { CliError, EXIT, formatCliError } from "../error.ts";
import type { Io, Output } from "../io.ts";
import { checkLog } from "../log/check-log.ts";
import { withSettingsErrors } from "../settings/load.ts";
import {
  addEmitOptions,
  assertNewFiles,
  type EmitFlags,
  openHint,
  writeCounterexample,
} from "../verify/counterexample.ts";
import { type ExplorationProgress, exploreAll } from "../verify/explorations.ts";
import type { FoundViolation } from "../verify/found-violation.ts";
import { type AnyExplored, type Explored, isHeld, isOfOwnership, protocolOf } from "../verify/job.ts";
import { loadMachine } from "../verify/machine-module.ts";
import { countRecorded } from "../verify/recorded-counts.ts";
import { createReport, formatReport, violationsIn } from "../verify/report.ts";
import { type VerificationParts, verificationOf, writeReport } from "../verify/report-page.ts";
import type { RecordedCounts } from "../verify/transition-counter.ts";
import type { Define } from "./command.ts";

export interface VerifyFlags extends Omit<CaseOptions, "tools" | "protocol">, EmitFlags {
  readonly tools?: string;
  readonly maxStates?: number;
  readonly law?: readonly string[];
  readonly races?: true;
  readonly everywhere?: boolean;
  readonly log?: string;
  /** Policies over time, by their shipped names or files. */
  readonly policy?: readonly string[];
  /** Whether the explored task lacks the policies, which are then only checked. */
  readonly bare?: true;
  /** A protocol that controls the explored task: a shipped name, or a module that exports `protocol`. */
  readonly protocol?: string;
  /** A module whose `machine` is explored instead of the built-in one. */
  readonly machine?: string;
  /** The file of a page with the result. */
  readonly emitReport?: string;
  /** Whether the result is served as a page. */
  readonly page?: true;
  /** A journal or a data folder, whose transitions the page counts. */
  readonly counts?: string;
  readonly format: "text" | "json";
}

const EMITS = ["emitTest", "emitJournal", "emitDiagram", "emitPage", "emitReport", "page"];
/** Options of explorations only. */
const EXPLORES = [
  ...[
    "turns",
    "calls",
    "blocks",
    "queued",
    "interruptions",
    "crashes",
    "retries",
    "tools",
    "thinks",
    "opaque",
  ],
  ...["checkpoints", "maxStates", "law", "races", "everywhere", "machine", "bare", "protocol"],
];

export const define: Define = (command, { io, end }) => {
  command
    .option("--turns <n|any>", "model responses; later requests only fail", boundOrAny)
    .option("--calls <n>", "tool calls per response", bound)
    .option("--blocks <n>", "content blocks per response, tool calls included", bound)
    .option("--queued <n|any>", "queued messages", boundOrAny)
    .option("--interruptions <n|any>", "cancels and journal failures", boundOrAny)
    .option("--crashes <n|any>", "process crashes, in any settled state", boundOrAny)
    .option("--retries <n>", "retries of a failed request before the user is asked", bound)
    .option("--tools <names>", "tools that the model may call, comma-separated")
    .option("--thinks", "responses may begin with thinking")
    .option("--opaque", "responses may contain the use of a server tool")
    .option("--checkpoints", "take a checkpoint before the first tool call of a turn that may change files")
    .option("--max-states <n>", "stop an exploration at this many states, without failing", count)
    .option("--law <id>", "check only this law (repeatable)", repeatable)
    .addOption(new Option("--races", "print every pair of racing events, in both orders").conflicts(EMITS))
    .option("--everywhere", "with --races: in every state, not only the first of each kind")
    .addOption(
      new Option(
        "--log <file>",
        "check the message laws against a recorded log instead of exploring",
      ).conflicts([...EXPLORES, ...EMITS]),
    )
    .addOption(
      new Option(
        "--policy <name|file>",
        "also check this policy over time, or only this one with --log (repeatable; docs/guide/temporal-policies.md)",
      )
        .argParser(repeatable)
        .conflicts(["races", "emitTest"]),
    )
    .option("--bare", "with --policy, explore a task without the policies: they are checked, not enforced")
    .addOption(
      new Option(
        "--protocol <name|file>",
        "explore a task that this control protocol controls: a shipped one, or a module that exports `protocol` (docs/guide/control.md)",
      ).conflicts("emitTest"),
    )
    .option(
      "--machine <file>",
      "module that exports `machine`: the built-in machine with other actions or guards",
    );
  command
    .option(
      "--emit-report <file>",
      "write the result as a visual debugger page: laws, explored states, transitions, pairs of racing events",
    )
    .option(
      "--page",
      "open the result in the visual debugger, with the tasks of the data folder, whose transitions are counted as they run",
    )
    .option(
      "--counts <journal|folder>",
      "with --page or --emit-report: count the transitions of this recorded task, or of all tasks of this data folder",
    );
  addEmitOptions(command, "a counterexample").action(async (flags: VerifyFlags) =>
    end(await verify(flags, io)),
  );
};

/**
 * Explore the machine against the laws and print a report. Exit code 1 on a violation, and where the given bounds make
 * more states than are visited without `--max-states`.
 *
 * @throws CliError for an unknown law or tool, for an existing file, and for a module without a machine
 */
export async function verify(flags: VerifyFlags, io: Io, given?: typeof taskMachine): Promise<number> {
  const { maxStates = MAX_STATES, format, log } = flags;
  if (log !== undefined) return checkLog(log, io, { format, policies: flags.policy ?? [] });
  const policies = await withSettingsErrors(() => readPolicies(flags.policy ?? [], process.cwd()));
  const asked = createCases(flags);
  const hasOwnership = given === undefined && asked.length === 0 && exploresDefaults(flags);
  const laws = validateLaws(flags.law, hasOwnership);
  assertComplete(flags);
  const custom = flags.machine === undefined ? given : await loadMachine(flags.machine);
  if (flags.races === true) return checkRaces(asked[0] ?? RACE_CASE, flags, laws, io, custom);
  const isEnforced = policies.length > 0 && flags.bare !== true;
  const protocol = flags.protocol === undefined ? undefined : withLabel(await loadProtocol(flags.protocol));
  const cases = asked.length === 0 ? casesOf(protocol, laws) : asked;
  const ownershipCases = hasOwnership ? ownershipCasesOf(laws) : [];
  await assertNewFiles(flags, flags.emitReport);
  const recorded = await recordedOf(flags, custom);
  const start = performance.now();
  const line = new ProgressLine(io.stderr, cases.length + ownershipCases.length);
  const done = await exploreAll(
    [
      ...cases.map((one) => ({ one, laws, maxStates, policies, isEnforced })),
      ...ownershipCases.map((ownership) => ({ ownership, laws, maxStates })),
    ],
    (progress) => line.show(progress),
    { machine: custom, protocol },
  );
  line.clear();
  const explored = done.filter(isOfTask);
  const machine = custom ?? taskMachine;
  const report = createReport({
    cases,
    explored,
    laws,
    policies,
    protocol: cases.map((one) => protocolOf(one, protocol)).find((each) => each !== undefined),
    seconds: (performance.now() - start) / 1000,
    trace: ({ violation, one }) => formatTrace(violation, machine, one.input),
    ownership: { cases: ownershipCases, explored: done.filter(isOfOwnership), laws },
  });
  io.stdout.write(format === "json" ? `${JSON.stringify(report)}\n` : formatReport(report));
  const finished = {
    report,
    explored,
    machine,
    recorded,
    first: violationsIn(explored)[0],
    laws,
    one: asked[0],
    io,
  };
  const verification = await reportOf(flags, finished);
  const code = await endOf(flags, finished, verification);
  if (flags.page !== true || verification === undefined) return code;
  const { serveReport } = await import("../verify/serve-report.ts");
  const end = await serveReport({ verification, machine, counts: flags.counts }, io);
  return code === EXIT.done ? end : code;
}

/** Write the counterexample of a finished verification. Returns the exit code. */
async function endOf(
  flags: VerifyFlags,
  { first, machine, explored, report, io }: FinishedVerification,
  verification: Verification | undefined,
): Promise<number> {
  if (first !== undefined) {
    // The path of two tasks is in its text: it is not one of events.
    if (first.one.isPair === true) return EXIT.failed;
    const hint = await writeCounterexample(flags, counterexampleOf(first, machine, flags));
    if (flags.format !== "json") io.stdout.write(hint);
    return EXIT.failed;
  }
  if (report.ownership !== undefined && report.ownership.violations.length > 0) return EXIT.failed;
  // Only pairs of racing events can break a law here.
  if (verification !== undefined && verification.violations.length > 0) return EXIT.failed;
  const cut = [
    ...explored.map(({ one: { name }, ...rest }) => ({ ...rest, name })),
    ...(report.ownership?.explorations ?? []),
  ].find(({ complete }) => !complete);
  if (cut === undefined || flags.maxStates !== undefined) return EXIT.done;
  io.stderr.write(
    formatCliError(
      `exploration "${cut.name}" stopped at ${cut.states} states, depth ${cut.depth}: expected at most ${MAX_STATES}. Lower the bounds, or raise --max-states.`,
    ),
  );
  return EXIT.failed;
}

const recordedOf = async (
  { counts }: VerifyFlags,
  machine = taskMachine,
): Promise<RecordedCounts | undefined> => (counts === undefined ? undefined : countRecorded(counts, machine));

interface FinishedVerification extends Omit<VerificationParts, "races" | "trace"> {
  readonly first: ReturnType<typeof violationsIn>[number] | undefined;
  readonly laws: readonly string[] | undefined;
  /** The exploration with the given bounds. */
  readonly one: Case | undefined;
  readonly io: Io;
}

/**
 * `--emit-report` and `--page`: explore the pairs of racing events as well, unless a law is broken, and write the file.
 * Undefined without these options.
 */
async function reportOf(
  { emitReport: file, page, maxStates, format, ...flags }: VerifyFlags,
  verified: FinishedVerification,
): Promise<Verification | undefined> {
  if (file === undefined && page !== true) return undefined;
  const { first, laws, one = RACE_CASE, io, ...parts } = verified;
  const races = first === undefined ? racesOf(one, { ...parts, laws, maxStates }) : undefined;
  const trace = (violation: Violation): string => formatTrace(violation, parts.machine, one.input);
  const verification = verificationOf({ ...parts, races, trace });
  // The path of two tasks is in its text: it is not one of events.
  const found =
    first?.one.isPair === true ? undefined : first && counterexampleOf(first, parts.machine, flags);
  if (file !== undefined) await writeReport(file, verification, found);
  const violations = races?.violations.length ?? 0;
  if (violations > 0)
    io.stderr.write(
      formatCliError(
        `racing events break laws: ${plural(violations, "violation")}. The report has their paths.`,
      ),
    );
  if (file !== undefined && format !== "json") io.stdout.write(openHint(file));
  return verification;
}

/** A test has neither policies nor a protocol: it reproduces no violation that needs one. */
function counterexampleOf(
  { violation, one }: ReturnType<typeof violationsIn>[number],
  machine: typeof taskMachine,
  flags: Pick<VerifyFlags, "policy" | "protocol" | "machine" | "emitTest" | "emitPage">,
): FoundViolation {
  const found = { violation, machine, input: one.input };
  if (flags.policy !== undefined || flags.protocol !== undefined) return found;
  return { ...found, test: () => formatTestFile(violation, one, importPath(flags)) };
}

/** The standard explorations: of a controlled task, the one of such tasks. None if no asked law is one of tasks. */
function casesOf(protocol: Protocol | undefined, laws: readonly string[] | undefined): readonly Case[] {
  if (laws !== undefined && !laws.some((id) => taskLaws().includes(id))) return [];
  return protocol === undefined
    ? [...DEFAULT_CASES, PAIR_CASE]
    : DEFAULT_CASES.filter(({ isControlled }) => isControlled === true);
}

/** Whether nothing is asked for that only an exploration of a task has. */
const exploresDefaults = ({ machine, protocol, policy, races, emitReport, page }: VerifyFlags): boolean =>
  [machine, protocol, policy, races, emitReport, page].every((flag) => flag === undefined);

const ownershipCasesOf = (laws: readonly string[] | undefined): readonly OwnershipCase[] =>
  OWNERSHIP_CASES.filter((one) => LAWS_OF[one.of].some(({ id }) => isHeld(laws, id)));

const isOfTask = (explored: AnyExplored): explored is Explored => !isOfOwnership(explored);

/** The machine's module, as the test that is written imports it: from the folder of the page, if only that has the test. */
function importPath({
  machine,
  emitPage = "",
  emitTest = emitPage,
}: Pick<VerifyFlags, "machine" | "emitTest" | "emitPage">): string | undefined {
  if (machine === undefined) return undefined;
  const relative = path.relative(path.dirname(path.resolve(emitTest)), path.resolve(machine));
  return `./${relative.split(path.sep).join("/")}`;
}

/** `--races`: explore every pair of racing events in both orders. */
function checkRaces(
  one: Case,
  { maxStates, everywhere = false, format }: VerifyFlags,
  laws: readonly string[] | undefined,
  { stdout, stderr }: Pick<Io, "stdout" | "stderr">,
  machine = taskMachine,
): number {
  const { bounds, input } = one;
  const matrix = racesOf(one, { machine, laws, maxStates, everywhere });
  const traces = matrix.violations.map((violation) => formatTrace(violation, machine, input));
  const plain = matrix.races.map((race) => ({
    ...race,
    in: Object.fromEntries(race.in),
    outcomes: race.outcomes.map((set) => [...set]),
    differsIn: [...race.differsIn],
  }));
  stdout.write(
    format === "json"
      ? `${JSON.stringify({ type: "races", bounds, input, ...matrix, races: plain })}\n`
      : [formatRaces(matrix), ...traces.map((trace) => `\nShortest counterexample:\n${trace}\n`)].join(""),
  );
  if (matrix.violations.length > 0) return EXIT.failed;
  if (matrix.complete || maxStates !== undefined) return EXIT.done;
  stderr.write(
    formatCliError(
      `the exploration stopped at ${matrix.states} states: expected at most ${MAX_STATES}. Lower the bounds, or raise --max-states.`,
    ),
  );
  return EXIT.failed;
}

interface RaceScope {
  readonly machine: typeof taskMachine;
  /** The ids of the checked laws; all, if undefined. */
  readonly laws: readonly string[] | undefined;
  readonly maxStates: number | undefined;
  readonly everywhere?: boolean;
}

const racesOf = (
  { bounds, input }: Case,
  { machine, laws, maxStates, everywhere = false }: RaceScope,
): RaceMatrix =>
  exploreRaces({
    machine,
    laws: ALL_LAWS.filter(({ id }) => isHeld(laws, id)),
    bounds,
    input,
    everywhere,
    ...(maxStates !== undefined && { maxStates }),
  });

const taskLaws = (): readonly string[] => [
  ...new Set([...ALL_LAWS.map(({ id }) => id), PROGRESS.law, NON_INTERFERENCE.law]),
];

/** @param hasOwnership Whether the laws of the owners of a task are checked as well. */
function validateLaws(
  asked: readonly string[] | undefined,
  hasOwnership: boolean,
): readonly string[] | undefined {
  const ofOwnership = hasOwnership ? Object.values(LAWS_OF).flatMap((laws) => laws.map(({ id }) => id)) : [];
  const known = [...new Set([...taskLaws(), ...ofOwnership])];
  const unknown = asked?.find((id) => !known.includes(id));
  if (unknown === undefined) return asked;
  throw new CliError(`--law: unknown law "${unknown}". Expected one of ${known.join(", ")}.`);
}

/** The exploration with the given bounds; none without any. */
function createCases({ tools, ...flags }: VerifyFlags): readonly Case[] {
  const { turns, calls, blocks, queued, interruptions, thinks, opaque, crashes, retries, checkpoints } =
    flags;
  const named = tools?.split(",").map((name) => name.trim());
  const unknown = named?.find((name) => !TOOLS.some((tool) => tool.name === name));
  if (unknown !== undefined) {
    const known = TOOLS.map(({ name }) => name).join(", ");
    throw new CliError(`--tools: unknown tool "${unknown}". Expected some of ${known}.`);
  }
  const given: CaseOptions = {
    ...(turns !== undefined && { turns }),
    ...(calls !== undefined && { calls }),
    ...(blocks !== undefined && { blocks }),
    ...(queued !== undefined && { queued }),
    ...(interruptions !== undefined && { interruptions }),
    ...(thinks !== undefined && { thinks }),
    ...(opaque !== undefined && { opaque }),
    ...(crashes !== undefined && { crashes }),
    ...(retries !== undefined && { retries }),
    ...(checkpoints !== undefined && { checkpoints }),
    ...(named !== undefined && { tools: named }),
  };
  return Object.keys(given).length === 0 ? [] : [createCase(given)];
}

/** @throws CliError for an option without the option that it needs */
function assertComplete(flags: VerifyFlags): void {
  const { everywhere, races, bare, policy = [], counts, emitReport, page, format } = flags;
  if (everywhere === true && races !== true)
    throw new CliError("--everywhere requires --races. Add --races.");
  if (bare === true && policy.length === 0)
    throw new CliError("--bare requires --policy. Add --policy NAME|FILE.");
  if (counts !== undefined && emitReport === undefined && page !== true)
    throw new CliError("--counts requires --page or --emit-report. Add --page or --emit-report FILE.");
  if (page === true && format === "json")
    throw new CliError(
      "--page prints an address, which is no JSON. Leave out --format json, or write a file with --emit-report.",
    );
}

/** A progress line, shown on a terminal only. */
class ProgressLine {
  readonly #to: Output;
  readonly #total: number;

  constructor(to: Output, total: number) {
    this.#to = to;
    this.#total = total;
  }

  show({ states, steps, done }: ExplorationProgress): void {
    if (this.#to.isTTY === true)
      this.#to.write(`\r\x1b[K${done} of ${this.#total} explorations, ${states} states, ${steps} steps`);
  }

  clear(): void {
    if (this.#to.isTTY === true) this.#to.write("\r\x1b[K");
  }
}
