import { isMissing, type PolicyEvent, valuesOf } from "./event.ts";
import type { Instruction, Program } from "./program.ts";

/** Before the first event that a memory is about. */
const NEVER = -1;

/** The state of a program after some events. Its size does not grow with their number. */
export interface ProgramState {
  /** The value of each subformula at the latest event. */
  readonly now: boolean[];
  /** The position of the event, or the count, that each subformula remembers. */
  readonly memory: number[];
  /** The states by value, for each subformula with `each`. */
  readonly tables: Map<number, ValueTable>;
}

/** The states of the body of an `each`. */
interface ValueTable {
  /** The state of all values without one of their own. */
  rest: ProgramState;
  readonly known: Map<string, ProgramState>;
  /** Whether a value was not remembered, since there were too many. */
  isBeyondLimit: boolean;
}

/** Limits of a monitor. */
export interface MonitorLimits {
  /** Maximum remembered paths, hosts, tools or arguments of one `each`. Default 1,000. */
  readonly values: number;
}

export const MONITOR_LIMITS: MonitorLimits = { values: 1_000 };

export function firstState({ instructions }: Program): ProgramState {
  const tables = new Map<number, ValueTable>();
  for (const [position, instruction] of instructions.entries())
    if (instruction.op === "each")
      tables.set(position, { rest: firstState(instruction.body), known: new Map(), isBeyondLimit: false });
  return {
    now: instructions.map(() => false),
    memory: instructions.map(({ op }) => (op === "atMost" || op === "previous" ? 0 : NEVER)),
    tables,
  };
}

export function copyState({ now, memory, tables }: ProgramState): ProgramState {
  return {
    now: [...now],
    memory: [...memory],
    tables: new Map([...tables].map(([position, table]) => [position, copyTable(table)])),
  };
}

const copyTable = ({ rest, known, isBeyondLimit }: ValueTable): ValueTable => ({
  rest: copyState(rest),
  known: new Map([...known].map(([value, state]) => [value, copyState(state)])),
  isBeyondLimit,
});

/** Operators that remember the position of an event: to the value of later events only whether there is one matters. */
const POSITIONAL: ReadonlySet<Instruction["op"]> = new Set(["once", "historically", "since"]);

/** A text that two states share only if all later events give both the same values. */
export function keyOf({ instructions }: Program, { memory, tables }: ProgramState): string {
  const remembered = instructions.map(({ op }, at) =>
    POSITIONAL.has(op) ? memory[at] !== NEVER : memory[at],
  );
  const ofTables = instructions.flatMap((instruction, at) => {
    const table = tables.get(at);
    if (instruction.op !== "each" || table === undefined) return [];
    const rest = keyOf(instruction.body, table.rest);
    const known = [...table.known]
      .map(([value, state]) => [value, keyOf(instruction.body, state)])
      .filter(([, key]) => key !== rest)
      .sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));
    return [[rest, known, table.isBeyondLimit]];
  });
  return JSON.stringify([remembered, ofTables]);
}

/** An event, its position from 0, and the value that `each` has bound. */
interface Moment {
  readonly event: PolicyEvent;
  readonly position: number;
  readonly bound: string | undefined;
  readonly limits: MonitorLimits;
}

/** Change the state by one event, in time that depends on the program and its limits alone. */
export function advance({ instructions }: Program, state: ProgramState, moment: Moment): void {
  for (const [position, instruction] of instructions.entries())
    state.now[position] = truthOf(instruction, position, state, moment);
}

function truthOf(instruction: Instruction, at: number, state: ProgramState, moment: Moment): boolean {
  const { now, memory } = state;
  const holds = (operand: number): boolean => now[operand] === true;
  const remembered = memory[at] ?? NEVER;
  switch (instruction.op) {
    case "event":
      return instruction.matches(moment.event, moment.bound);
    case "not":
      return !holds(instruction.of);
    case "and":
      return instruction.of.every(holds);
    case "or":
      return instruction.of.some(holds);
    case "previous":
      memory[at] = holds(instruction.of) ? 1 : 0;
      return remembered === 1;
    case "once":
      if (remembered === NEVER && holds(instruction.of)) memory[at] = moment.position;
      return memory[at] !== NEVER;
    case "historically":
      if (remembered === NEVER && !holds(instruction.of)) memory[at] = moment.position;
      return memory[at] === NEVER;
    case "since":
      if (holds(instruction.from)) memory[at] = moment.position;
      else if (!holds(instruction.of)) memory[at] = NEVER;
      return memory[at] !== NEVER;
    case "atMost":
      if (holds(instruction.of)) memory[at] = Math.min(remembered, instruction.count) + 1;
      return (memory[at] ?? 0) <= instruction.count;
    case "each":
      return eachHolds(instruction, state.tables.get(at), moment);
  }
}

function eachHolds(
  { variable, body, beyondLimit }: Extract<Instruction, { op: "each" }>,
  table: ValueTable | undefined,
  moment: Moment,
): boolean {
  if (table === undefined) return beyondLimit;
  for (const [value, state] of table.known) if (isSame(state, table.rest)) table.known.delete(value);
  const values = new Set(valuesOf(moment.event, variable));
  for (const value of values) remember(table, value, moment.limits);
  for (const [bound, state] of table.known) advance(body, state, { ...moment, bound });
  advance(body, table.rest, { ...moment, bound: undefined });
  if (table.isBeyondLimit || isMissing(moment.event, variable)) return beyondLimit;
  const [root = 0] = body.roots;
  return [...values].every((value) => table.known.get(value)?.now[root] === true);
}

function remember(table: ValueTable, value: string, { values }: MonitorLimits): void {
  if (table.known.has(value)) return;
  if (table.known.size >= values) table.isBeyondLimit = true;
  else table.known.set(value, copyState(table.rest));
}

/** Whether all later events give both states the same values. */
const isSame = (one: ProgramState, other: ProgramState): boolean =>
  one.memory.every((memory, at) => memory === other.memory[at]);
