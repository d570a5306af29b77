import type { Protocol } from "../../control/protocol.ts";
import type { TemporalPolicy } from "../../tools/temporal/policy.ts";
import type { Bounds } from "../../verify/bounds.ts";
import type { Case } from "../../verify/cases.ts";
import { AUDITS } from "../../verify/controlled.ts";
import type { Coverage } from "../../verify/coverage.ts";
import { PROGRESS, type Violation } from "../../verify/exploration.ts";
import { NON_INTERFERENCE } from "../../verify/interference.ts";
import type { LawPart } from "../../verify/laws/law.ts";
import { ALL_LAWS } from "../../verify/laws/laws.ts";
import { PAIR_LAWS, PAIR_PROGRESS } from "../../verify/subtasks/laws.ts";
import { type Explored, isHeld } from "./job.ts";
import {
  createOwnershipReport,
  type OwnershipReport,
  type OwnershipRun,
  ownershipBlocks,
  ownershipViolations,
} from "./ownership-report.ts";
import { amounts, formatTable, rounded } from "./table.ts";
import { unexploredIn } from "./unexplored.ts";

/** The result of a law. */
export interface LawLine {
  readonly id: string;
  readonly title: string;
  /** States it was checked in; a law of macrosteps is checked at each macrostep that leads to one. */
  readonly states: number;
  /** Macrosteps it was checked at; none for a law of the whole graph. */
  readonly macrosteps: number;
  readonly verdict: "holds" | "broken" | "holds as far as it went";
  /** The part of the explored tasks that holds it. Absent: they have no part that enforces it. */
  readonly heldBy?: LawPart;
  /** The conditions of a clause that no explored call can meet: the verdict says nothing about them. */
  readonly unexplored?: readonly string[];
}

/** The number of transitions in a table, how many were taken, and those that were not. */
interface TableCoverage {
  readonly rows: number;
  readonly taken: number;
  readonly missed: readonly string[];
}

/** The result of a verification. `--format json` prints it as it is. */
export interface Report {
  readonly type: "verification";
  readonly explorations: readonly {
    readonly name: string;
    readonly bounds: Case["bounds"];
    readonly input: Case["input"];
    readonly states: number;
    readonly steps: number;
    readonly macrosteps: number;
    readonly recoveries: number;
    readonly depth: number;
    readonly complete: boolean;
    readonly seconds: number;
  }[];
  /** Explorations that were stopped, because another found a violation. */
  readonly notEnded: readonly string[];
  readonly laws: readonly LawLine[];
  readonly table: TableCoverage;
  /** The table of a tool call. */
  readonly callTable: TableCoverage;
  readonly states: number;
  readonly steps: number;
  readonly depth: number;
  readonly complete: boolean;
  readonly seconds: number;
  readonly statesPerSecond: number;
  /** The explorations of the workers of one task in a database. Absent: none were asked for. */
  readonly ownership?: OwnershipReport;
  readonly violations: readonly (Violation & { readonly exploration: string; readonly trace: string })[];
}

/** A violation, and the exploration that found it. */
export interface FoundViolation {
  readonly violation: Violation;
  readonly one: Case;
}

export interface VerificationRun {
  readonly cases: readonly Case[];
  readonly explored: readonly Explored[];
  readonly laws: readonly string[] | undefined;
  readonly policies: readonly TemporalPolicy[];
  /** The protocol of the explored tasks that have one. */
  readonly protocol: Protocol | undefined;
  readonly seconds: number;
  readonly trace: (found: FoundViolation) => string;
  /** The explorations of the workers of one task in a database. Default: none. */
  readonly ownership?: OwnershipRun;
}

/** The laws that only explorations with a protocol check. */
const CONTROL_LAWS = [AUDITS, { id: NON_INTERFERENCE.law, title: NON_INTERFERENCE.title }];

/** The first violation of each law in each exploration: several events of one state may break it. */
export const violationsIn = (explored: readonly Explored[]): readonly FoundViolation[] =>
  explored.flatMap(({ violations, one }) =>
    violations
      .filter((each, index) => index === violations.findIndex((other) => isOfOneLaw(each, other)))
      .map((violation) => ({ violation, one })),
  );

const isOfOneLaw = (one: Violation, other: Violation): boolean =>
  one.law === other.law && one.title === other.title;

export function createReport(run: VerificationRun): Report {
  const { cases, explored, laws, policies, protocol, seconds, trace, ownership } = run;
  const violations = violationsIn(explored);
  const sum = (of: (one: Explored) => number): number => explored.reduce((total, one) => total + of(one), 0);
  const states = sum((one) => one.states);
  const countsOf = (isPair: boolean) => {
    const some = explored.filter(({ one }) => (one.isPair === true) === isPair);
    return {
      states: some.reduce((total, one) => total + one.states, 0),
      macrosteps: some.reduce((total, one) => total + one.checked, 0),
    };
  };
  const [single, pairs] = [countsOf(false), countsOf(true)];
  const hasPairs = cases.some(({ isPair }) => isPair === true);
  const complete = explored.length === cases.length && explored.every((one) => one.complete);
  const listed = [
    ...ALL_LAWS.map(({ id, title, heldBy }) => ({ id, title, ...(heldBy && { heldBy }), ...single })),
    { id: PROGRESS.law, title: PROGRESS.title, ...single, macrosteps: 0 },
    ...(explored.some(({ one }) => one.input.control !== undefined) ? CONTROL_LAWS : []).map((law) => ({
      ...law,
      ...single,
    })),
    ...(hasPairs ? PAIR_LAWS : []).map(({ id, title }) => ({ id, title, ...pairs })),
    ...(hasPairs ? [{ id: PAIR_PROGRESS.law, title: PAIR_PROGRESS.title, ...pairs, macrosteps: 0 }] : []),
  ].filter(({ id }) => isHeld(laws, id));
  const parts = partsOf(explored);
  const isEnforced = explored.every(({ one }) => one.input.policies === true);
  const clauses = policies.flatMap(({ name, clauses }) =>
    clauses.map((clause) => {
      const unexplored = unexploredIn(clause.always, protocol);
      return { id: name, title: clause.name, ...single, ...(unexplored.length > 0 && { unexplored }) };
    }),
  );
  return {
    type: "verification",
    explorations: explored.map((one) => ({
      name: one.one.name,
      bounds: one.bounds,
      input: one.one.input,
      states: one.states,
      steps: one.steps,
      macrosteps: one.checked,
      recoveries: one.recoveries,
      depth: one.depth,
      complete: one.complete,
      seconds: rounded(one.seconds),
    })),
    notEnded: cases
      .filter((one) => !explored.some((done) => done.one.name === one.name))
      .map(({ name }) => name),
    laws: [
      ...listed.map((law) => {
        const { heldBy = "machine", ...others }: Omit<LawLine, "verdict"> = law;
        return { ...others, ...(parts.has(heldBy) && { heldBy }) };
      }),
      ...clauses.map((clause) => ({ ...clause, ...(isEnforced && { heldBy: "policies" as const }) })),
    ].map((law) => ({ ...law, verdict: verdictOf(law.id, law.title) })),
    table: covered(explored.map(({ coverage }) => coverage.transitions)),
    callTable: covered(explored.map(({ coverage }) => coverage.calls)),
    states,
    steps: sum((one) => one.steps),
    depth: Math.max(0, ...explored.map(({ depth }) => depth)),
    complete,
    seconds: rounded(seconds),
    statesPerSecond: Math.round(states / Math.max(seconds, 0.001)),
    ...(ownership !== undefined &&
      ownership.cases.length > 0 && { ownership: createOwnershipReport(ownership) }),
    violations: violations.map((found) => ({
      ...found.violation,
      exploration: found.one.name,
      trace: trace(found),
    })),
  };

  function verdictOf(id: string, title: string): LawLine["verdict"] {
    if (violations.some(({ violation }) => violation.law === id && violation.title === title))
      return "broken";
    return complete ? "holds" : "holds as far as it went";
  }
}

/** The parts that some explored task has. */
const partsOf = (explored: readonly Explored[]): ReadonlySet<LawPart> =>
  new Set(
    explored.flatMap(({ one: { input } }): LawPart[] => [
      "machine",
      "permissions",
      ...(input.hooks === undefined ? [] : (["hooks"] as const)),
      ...(input.intent === undefined ? [] : (["intents"] as const)),
      ...(input.policies === true ? (["policies"] as const) : []),
      ...(input.control === undefined ? [] : (["protocol"] as const)),
    ]),
  );

/** How much of a table some explorations took. */
function covered(explored: readonly Coverage["transitions"][]): TableCoverage {
  const rows = [...(explored[0]?.keys() ?? [])];
  const missed = rows.filter((row) => !explored.some((taken) => taken.get(row)));
  return { rows: rows.length, taken: rows.length - missed.length, missed };
}

/** Format a report as text. */
export function formatReport(report: Report): string {
  const { explorations, ownership, violations } = report;
  const blocks = [
    ...(explorations.length === 0 ? [] : taskBlocks(report)),
    ...(ownership === undefined ? [] : ownershipBlocks(ownership)),
    ...(explorations.length === 0 ? [] : [summaryBlock(report)]),
    ...violations.map((one) => `Exploration "${one.exploration}", shortest counterexample:\n${one.trace}`),
    ...(ownership === undefined ? [] : ownershipViolations(ownership)),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** The laws and explorations of tasks. */
const taskBlocks = ({ laws, explorations, notEnded }: Report): readonly string[] => [
  formatTable(
    ["law", "statement", "states", "macrosteps", "verdict", "held by"],
    laws.map((law) => [
      law.id,
      law.title,
      law.states,
      law.macrosteps === 0 ? "" : law.macrosteps,
      law.verdict,
      law.heldBy ?? "no part",
    ]),
  ),
  ...laws.flatMap(({ id, title, unexplored }) =>
    unexplored === undefined
      ? []
      : [
          `${id}, ${title}: explored calls have no ${unexplored.join(", ")}, so the verdict says nothing about it. Check recorded logs: --log FILE.`,
        ],
  ),
  formatTable(
    ["exploration", "states", "steps", "macrosteps", "crashes", "depth", "s", ""],
    explorations.map((one) => [
      one.name,
      one.states,
      one.steps,
      one.macrosteps,
      one.recoveries,
      one.depth,
      one.seconds.toFixed(1),
      one.complete ? "complete" : "cut",
    ]),
  ),
  explorations.map((one) => `${one.name}: ${boundsLine(one)}`).join("\n"),
  ...(notEnded.length === 0 ? [] : [`Stopped early: ${notEnded.join("; ")}.`]),
];

const summaryBlock = ({
  states,
  steps,
  depth,
  seconds,
  statesPerSecond,
  complete,
  table,
  callTable,
}: Report): string =>
  [
    `${states} states, ${steps} steps, depth ${depth}, ${seconds.toFixed(1)} s, ${statesPerSecond} states a second: ${complete ? "complete" : "cut"}`,
    `${table.taken} of the machine's ${table.rows} transitions taken`,
    ...missedLines(table),
    `${callTable.taken} of a tool call's ${callTable.rows} transitions taken`,
    ...missedLines(callTable),
  ].join("\n");

/** Missed transitions of a table that are listed; of more, their number is. */
const LISTED_MAX = 5;

/** Bounds and a protocol without some points keep most transitions out of reach: their list says nothing about the laws. */
function missedLines({ missed }: TableCoverage): readonly string[] {
  if (missed.length > LISTED_MAX)
    return [`  not taken: ${missed.length}, out of reach within these bounds; --format json lists them`];
  return missed.map((row) => `  not taken: ${row}`);
}

/** The clauses of bounds that are on or off. */
const CLAUSES: Readonly<Record<string, string>> = {
  thinks: "thinks",
  opaque: "opaque blocks",
  selects: "the completion changes",
  condenses: "the conversation is condensed",
  repeats: "calls repeat",
  permits: "what is permitted changes",
  profiles: "the profile changes",
  amends: "calls are amended",
  elicits: "calls ask for input",
  hooks: "hooks decide",
  images: "the endpoint refuses an image",
  pausing: "a person pauses",
  wakes: "wake-ups are due",
} satisfies Partial<Record<keyof Bounds, string>>;

function boundsLine({ bounds, input }: Pick<Report["explorations"][number], "bounds" | "input">): string {
  const { tools, ...others } = bounds;
  const isOn = new Map<string, unknown>(Object.entries(others));
  const counts = Object.entries(others).filter(([name]) => !Object.hasOwn(CLAUSES, name));
  const limits = amounts(input.limits ?? {});
  return [
    amounts(Object.fromEntries(counts)),
    `tools ${tools.join(" ")}`,
    ...Object.entries(CLAUSES).flatMap(([name, clause]) => (isOn.get(name) === true ? [clause] : [])),
    ...(input.checkpoints === true ? ["checkpoints"] : []),
    ...(input.policies === true ? ["policies over time judge"] : []),
    ...(input.control === undefined ? [] : [`the protocol "${input.control.protocol}" controls`]),
    ...(input.budget === undefined ? [] : [`budget ${amounts(input.budget.grant)}`]),
    ...(input.completion === "end_turn" ? ["completed by the end of a turn"] : []),
    ...(limits === "" ? [] : [`limits ${limits}`]),
  ].join("; ");
}
