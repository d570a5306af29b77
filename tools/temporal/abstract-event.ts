import { EFFECTS, EVENT_KINDS, OUTCOMES, type PolicyEvent } from "./event.ts";
import type { EventPattern } from "./formula.ts";
import { compilePattern } from "./pattern.ts";
import type { Instruction, Program } from "./program.ts";

/** The events for which each subformula about one event alone has the same truth. */
export interface AbstractEvent extends Pick<PolicyEvent, "kind" | "effect"> {
  /** The program, whose patterns and `each` have this truth for any event. */
  readonly program: Program;
}

/** How many events and states may still be computed. */
export interface Allowance {
  steps: number;
}

/** Fields whose values are not compared: each of their conditions may hold or not. */
const OPEN = ["path", "host", "command", "argument", "score", "verdict", "author"] as const;
/** A text that no pattern names. */
const OTHER = "\0";

/** A subformula about one event alone. */
interface Atom {
  readonly at: number;
  readonly matches: (event: PolicyEvent) => boolean;
  /** Conditions that may hold or not. */
  readonly open: readonly string[];
}

/**
 * Abstract events such that every event is one of them. Some have no event, since paths, hosts, commands, arguments, what
 * a protocol decides and what an `each` binds are not compared.
 */
export function* abstractEvents(program: Program, allowance: Allowance): Generator<AbstractEvent> {
  const atoms = atomsOf(program);
  const closed = distinctEvents(program, atoms, allowance);
  // Without events, the sets would take time without a bound.
  if (allowance.steps < 0) return;
  const known = new Set<string>();
  for (const held of subsetsOf([...new Set(atoms.flatMap(({ open }) => open))]))
    for (const { event, matched } of closed) {
      allowance.steps -= 1;
      if (allowance.steps < 0) return;
      const { kind, effect } = event;
      const truths = atoms.map(
        ({ open }, at) => matched[at] === true && open.every((name) => held.has(name)),
      );
      const key = [kind, effect, ...truths].join();
      if (known.has(key)) continue;
      known.add(key);
      yield { kind, ...(effect !== undefined && { effect }), program: withTruths(program, atoms, truths) };
    }
}

function withTruths(
  { instructions, roots }: Program,
  atoms: readonly Atom[],
  truths: readonly boolean[],
): Program {
  const constants = new Map(
    atoms.map(({ at }, index): [number, Instruction] => {
      const truth = truths[index] === true;
      return [at, { op: "event", pattern: {}, how: "must", matches: () => truth }];
    }),
  );
  return { instructions: instructions.map((one, at) => constants.get(at) ?? one), roots };
}

function atomsOf({ instructions }: Program): readonly Atom[] {
  return instructions.flatMap((instruction, at): Atom[] => {
    if (instruction.op === "each") return [{ at, matches: () => true, open: [`each ${at}`] }];
    if (instruction.op !== "event") return [];
    const { pattern, how } = instruction;
    const { path, host, command, argument, score, verdict, author, ...rest } = pattern;
    const matches = compilePattern(rest, how);
    return [
      {
        at,
        matches: (event) => matches(event, undefined),
        open: OPEN.filter((field) => field in pattern).map(
          (field) => `${how} ${field} ${JSON.stringify(pattern[field])}`,
        ),
      },
    ];
  });
}

/** The empty set, the sets of one name, and all others. What must match also may. */
function* subsetsOf(names: readonly string[]): Generator<ReadonlySet<string>> {
  const closureOf = (chosen: readonly string[]): ReadonlySet<string> =>
    new Set(chosen.flatMap((name) => [name, name.replace(/^must /, "may ")]));
  yield new Set();
  for (const name of names) yield closureOf([name]);
  for (let bits = 0; bits < 2 ** names.length; bits += 1)
    yield closureOf(names.filter((_, at) => Math.floor(bits / 2 ** at) % 2 === 1));
}

interface DistinctEvent {
  readonly event: PolicyEvent;
  /** Whether the conditions of each atom that are not open hold. */
  readonly matched: readonly boolean[];
}

function distinctEvents(
  program: Program,
  atoms: readonly Atom[],
  allowance: Allowance,
): readonly DistinctEvent[] {
  const found = new Map<string, DistinctEvent>();
  for (const event of eventsOf(program)) {
    allowance.steps -= 1;
    if (allowance.steps < 0) return [];
    const matched = atoms.map(({ matches }) => matches(event));
    const key = [event.kind, event.effect, ...matched].join();
    if (!found.has(key)) found.set(key, { event, matched });
  }
  return [...found.values()];
}

/** An event for each combination of what the patterns distinguish, without the open fields. */
function* eventsOf({ instructions }: Program): Generator<PolicyEvent> {
  const patterns = instructions.flatMap((one) => (one.op === "event" ? one.pattern : []));
  const has = (field: keyof EventPattern): boolean => patterns.some((pattern) => field in pattern);
  const tools = new Set(patterns.flatMap(({ tool = [] }) => tool).map(instanceOf));
  const modes = new Set(patterns.flatMap(({ mode = [] }) => mode));
  const choices: readonly (readonly Part[])[] = [
    EFFECTS.map((effect) => ({ effect })),
    has("by") ? [{ by: "person" }, { by: "policy" }] : [],
    has("outcome") ? OUTCOMES.map((outcome) => ({ outcome })) : [],
    has("tool") ? [...tools, OTHER].map((tool) => ({ tool })) : [],
    has("mode") ? [...modes, OTHER].map((mode) => ({ mode })) : [],
  ];
  for (const kind of EVENT_KINDS) for (const part of combinationsOf(choices)) yield { kind, ...part };
}

type Part = Omit<PolicyEvent, "kind">;

/** All combinations with one of each choice, or none. */
function* combinationsOf([choice, ...others]: readonly (readonly Part[])[]): Generator<Part> {
  if (choice === undefined) yield {};
  else
    for (const part of [...choice, {}])
      for (const other of combinationsOf(others)) yield { ...part, ...other };
}

/** The name, or a name that begins with it and a rest that no other has. */
const instanceOf = (name: string): string => (name.endsWith("*") ? `${name.slice(0, -1)}${OTHER}` : name);
