import { hasNoWork, topState } from "../../../machines/message/states.ts";
import { formatSubject } from "../../../present/asks.ts";
import { oneLine } from "../../../present/one-line.ts";
import { plural } from "../../../present/plural.ts";
import type { TraceReader } from "../../trace/moment.ts";
import type { Bar } from "../timeline/lanes.ts";
import { barsOfSubtasks } from "../timeline/subtask-bars.ts";
import { memoized } from "./memoized.ts";
import { callText, problemKind } from "./problem-text.ts";
import type { Problem } from "./problems.ts";
import { lastUntil } from "./search-sorted.ts";
import type { SubtaskNode, SubtaskTree } from "./subtask-tree.ts";
import type { CallOutcome, TraceIndex } from "./trace-index.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";
import type { Turn, TurnCall } from "./turn-index.ts";
import { WAITS_FOR_TURN, waitingStarts } from "./waiting-starts.ts";

/** An entry of the outline: a turn, a call of it, or the subtask of the call, whose turns are below it. */
export interface OutlineRow {
  readonly key: string;
  readonly kind: "turn" | "call" | "task";
  /** From 1; each subtask has three more. */
  readonly level: number;
  /** The trace that it is in. */
  readonly trace: TraceSnapshot;
  /** Its first event there. */
  readonly seq: number;
  /** The position of its turn there. */
  readonly turn: number;
  /** The position of the turn of the shown task that it is below. */
  readonly shownTurn: number;
  /** The subtask of a `task` row. Undefined: the row is of another kind, or the outline has the subtask elsewhere. */
  readonly subtask: SubtaskNode | undefined;
  /** Undefined: it is a turn. */
  readonly call: TurnCall | undefined;
  /** Whether its children are shown. Undefined: it has none. */
  readonly isUnfolded: boolean | undefined;
  /** Its place among the children of its parent, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
}

export interface OutlineOptions {
  /** The keys of the rows that a person folded or unfolded. At first only subtasks are folded. */
  readonly toggled: ReadonlySet<string>;
  /** Whether only problems, and the rows around them, are shown. */
  readonly hasOnlyProblems: boolean;
}

/** A word beside an entry. */
export interface Mark {
  readonly word: string;
  /** `now`: it lasts. */
  readonly tone: "bad" | "warn" | "now" | "quiet";
}

/** The rows of an outline, from top to bottom. */
export function outlineRows(
  trace: TraceSnapshot,
  tree: Pick<SubtaskTree, "children">,
  options: OutlineOptions,
): readonly OutlineRow[] {
  const rows: OutlineRow[] = [];
  const subtasks = byCall(tree.children);
  addTurns(rows, { trace, subtasks, prefix: "", level: 1, shownTurn: undefined }, options);
  return rows;
}

/** A task whose turns are rows. */
interface Scope {
  readonly trace: TraceSnapshot;
  readonly subtasks: ReadonlyMap<TurnCall, SubtaskNode>;
  /** The start of the keys of its rows. */
  readonly prefix: string;
  /** The level of its turns. */
  readonly level: number;
  /** Undefined: it is the shown task. */
  readonly shownTurn: number | undefined;
}

/** Subtasks by the calls that started them. */
const byCall = (children: readonly SubtaskNode[]): Scope["subtasks"] =>
  new Map(children.map((node) => [node.starts[0].call, node]));

function addTurns(rows: OutlineRow[], scope: Scope, options: OutlineOptions): void {
  const { trace, prefix, level } = scope;
  const shown: readonly ShownTurn[] = options.hasOnlyProblems ? troubledTurns(scope) : trace.index.turns;
  let position = 0;
  for (const { seq, calls, nth = position } of shown) {
    position += 1;
    const key = `${prefix}turn ${nth}`;
    const isUnfolded = calls.length === 0 ? undefined : !options.toggled.has(key);
    const place = { trace, seq, turn: nth, shownTurn: scope.shownTurn ?? nth, subtask: undefined };
    const siblings = shown.length;
    rows.push({ ...place, key, kind: "turn", level, call: undefined, isUnfolded, position, siblings });
    if (isUnfolded === true) addCalls(rows, calls, nth, scope, options);
  }
}

/** A turn with the calls that are shown. `nth`: its position among all turns, if not all are shown. */
interface ShownTurn extends Pick<Turn, "seq" | "calls"> {
  readonly nth?: number;
}

/** The turns with problems, or with calls that have problems, also in their subtasks, and these calls. */
function troubledTurns({ trace: { index }, subtasks }: Scope): readonly ShownTurn[] {
  const { ofCall, ofTurn } = problemsIn(index);
  return index.turns.flatMap((turn, nth) => {
    const calls = turn.calls.filter(
      (call) => ofCall.has(call.callId) || (subtasks.get(call)?.problems ?? 0) > 0,
    );
    return calls.length > 0 || ofTurn.has(nth) ? [{ seq: turn.seq, calls, nth }] : [];
  });
}

function addCalls(
  rows: OutlineRow[],
  calls: readonly TurnCall[],
  turn: number,
  scope: Scope,
  options: OutlineOptions,
): void {
  const { trace, prefix, level, shownTurn = turn } = scope;
  let position = 0;
  for (const call of calls) {
    position += 1;
    const { callId, seq, child } = call;
    const key = `${prefix}call ${callId}`;
    const isUnfolded = child === undefined ? undefined : !options.toggled.has(key);
    const row = { trace, seq, turn, shownTurn, call } as const;
    const siblings = calls.length;
    rows.push({
      ...{ ...row, key, kind: "call", level: level + 1, subtask: undefined },
      ...{ isUnfolded, position, siblings },
    });
    if (isUnfolded !== true) continue;
    const subtask = scope.subtasks.get(call);
    // A damaged journal may name a task twice.
    const taskKey = subtask === undefined ? `${key}/elsewhere` : `${prefix}task ${child}`;
    const task = { ...row, key: taskKey, level: level + 2, subtask };
    addTask(rows, task, options);
  }
}

/** The row of a subtask and, if it is unfolded, its own outline. */
function addTask(
  rows: OutlineRow[],
  row: Omit<OutlineRow, "kind" | "isUnfolded" | "position" | "siblings">,
  options: OutlineOptions,
): void {
  const { key, level, shownTurn, subtask } = row;
  const trace = subtask?.trace;
  // Only problems are few: they are in sight at once.
  const isUnfolded = trace === undefined ? undefined : options.toggled.has(key) !== options.hasOnlyProblems;
  rows.push({ ...row, kind: "task", isUnfolded, position: 1, siblings: 1 });
  if (subtask === undefined || trace === undefined || isUnfolded !== true) return;
  const subtasks = byCall(subtask.children);
  addTurns(rows, { trace, subtasks, prefix: `${key}/`, level: level + 1, shownTurn }, options);
}

/** The position of the turn that an event belongs to; -1: none. */
export const turnAt = ({ turns }: TraceIndex, at: number): number => lastUntil(turns, at, ({ seq }) => seq);

/** The position of the row that an event belongs to: the row of its call if it is shown, or else of its turn; -1: none. */
export function rowAt(rows: readonly OutlineRow[], trace: TraceSnapshot, at: number): number {
  const { index } = trace;
  const own = turnAt(index, at);
  const call = index.turns[own]?.calls.findLast((one) => isWithin(one, trace, index, at));
  const ofTurn = lastUntil(rows, own, ({ shownTurn }) => shownTurn);
  if (rows[ofTurn]?.shownTurn !== own) return -1;
  let first = ofTurn;
  while (rows[first - 1]?.shownTurn === own) first -= 1;
  const ofCall = rows.slice(first, ofTurn + 1).findIndex((row) => row.level === 2 && row.call === call);
  return first + Math.max(0, ofCall);
}

/** Whether an event is about the call, or happens between its start and its result. */
function isWithin({ callId, seq }: TurnCall, trace: TraceReader, index: TraceIndex, at: number): boolean {
  const { record } = trace.event(at);
  if (record.kind === "commit" && typeof record.cause?.callId === "string")
    return record.cause.callId === callId;
  return seq <= at && at <= (index.outcomes.get(callId)?.seq ?? Number.POSITIVE_INFINITY);
}

/** The text of a row's turn or call, by its first line without the marks of Markdown. Without one it has the number of calls. */
export function rowText({ turn: position, call, trace: { index } }: OutlineRow): string {
  if (call !== undefined) return textOfCall(call, index);
  const { text = "", by, calls = [] } = index.turns[position] ?? {};
  const words = oneLine(text.trimStart().split("\n", 1)[0] ?? "").replaceAll(/[*`]+|^#+ /g, "");
  if (words !== "" || by === "person") return words;
  return calls.length === 0 ? "request" : plural(calls.length, "call");
}

/** The words before the text of a question, and of a result. */
const TEXT_WORDS: Readonly<Record<string, string>> = { followup: "Question", completion_result: "Result" };

function textOfCall({ callId }: TurnCall, index: TraceIndex): string {
  const { ask = "", text = "" } = index.problems.calls.get(callId) ?? {};
  const word = TEXT_WORDS[ask];
  if (word === undefined) return callText(callId, index);
  const subject = oneLine(formatSubject({ ask, text }));
  return subject === "" ? word : `${word}: ${subject}`;
}

/**
 * The milliseconds that a row's turn, tool or subtask lasted, up to `now` if it is not over, or up to the end of a subtask
 * that is at rest. Undefined: it did not run.
 */
export function rowDuration(row: OutlineRow, until: number): number | undefined {
  const { call, turn, level } = row;
  const { index } = row.trace;
  const newest = index.times.at(-1) ?? until;
  const isOver = level > 3 && hasNoWork(index.paths.at(-1) ?? "");
  const now = isOver ? newest : Math.max(until, newest);
  if (call !== undefined) {
    const bars = barsOf(call, index);
    return bars.length === 0 ? undefined : bars.reduce((sum, { from, to }) => sum + (to ?? now) - from, 0);
  }
  if (index.turns[turn]?.by !== "model") return undefined;
  const next = index.turns[turn + 1];
  const end = next === undefined ? now : (index.times[next.seq] ?? now);
  return end - (index.times[row.seq] ?? end);
}

/** The bars of a call's subtask, which may work longer than the call in the background, or else the bar of its tool. */
function barsOf({ callId, seq, child }: TurnCall, index: TraceIndex): readonly Bar[] {
  const ofSubtask = child === undefined ? undefined : barsOfSubtasks(index).get(child);
  if (ofSubtask !== undefined) return ofSubtask;
  const { bars } = index.timeline;
  const end = index.outcomes.get(callId)?.seq ?? Number.POSITIVE_INFINITY;
  for (let at = lastUntil(bars, seq - 1, (bar) => bar.seq) + 1; at < bars.length; at += 1) {
    const bar = bars[at];
    if (bar === undefined || bar.seq > end) return [];
    if (bar.kind === "tool" && bar.subject === callId) return [bar];
  }
  return [];
}

/** The cost of a turn in US dollars. Undefined: it has none, or the cost is unknown. */
export function turnCost(turn: number, { turns, usage }: TraceIndex): number | undefined {
  const costBefore = (seq: number): number | null =>
    usage[lastUntil(usage, seq - 1, (total) => total.seq)]?.cost ?? 0;
  const { seq = 0 } = turns[turn] ?? {};
  const [before, after] = [costBefore(seq), costBefore(turns[turn + 1]?.seq ?? Number.POSITIVE_INFINITY)];
  return before === null || after === null || after <= before ? undefined : after - before;
}

/** The marks of a row. A folded turn also has the number of problems of its calls. */
export function rowMarks(row: OutlineRow): readonly Mark[] {
  const { index } = row.trace;
  if (row.kind === "task") return row.isUnfolded === true ? [] : problemsInside(row.subtask?.problems ?? 0);
  if (row.call !== undefined) return marksOfCall(row.call, row);
  const turn = index.turns[row.turn];
  if (turn === undefined) return [];
  const { ofCall, ofTurn } = problemsIn(index);
  const inside = row.isUnfolded === false ? turn.calls.filter(({ callId }) => ofCall.has(callId)).length : 0;
  return [
    ...(turn.attempts > 1 ? [retried(turn.attempts - 1)] : []),
    ...(isCompacted(row.turn, index) ? [{ word: "compacted", tone: "quiet" } as const] : []),
    ...marksOfProblems(
      (ofTurn.get(row.turn) ?? []).filter(
        ({ trouble }) => trouble.kind !== "request" || turn.respondedAt === undefined,
      ),
    ),
    ...problemsInside(inside),
  ];
}

const problemsInside = (count: number): readonly Mark[] =>
  count > 0 ? [{ word: plural(count, "problem"), tone: "bad" }] : [];

/** A mark for each kind of problem, with the number of its problems. */
function marksOfProblems(problems: readonly Problem[]): readonly Mark[] {
  const counts = new Map<string, number>();
  for (const problem of problems) {
    const word = problemKind(problem);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => ({
    word: count === 1 ? word : `${word} ×${count}`,
    tone: "bad",
  }));
}

const retried = (times: number): Mark => ({
  word: times === 1 ? "retried" : `retried ${times} times`,
  tone: "warn",
});

/** The marks of calls that did not run to their end, though nothing failed. */
const ENDS: Partial<Record<CallOutcome["kind"], Mark>> = {
  skipped: { word: "not run", tone: "quiet" },
  interrupted: { word: "interrupted", tone: "warn" },
  uncertain: { word: "unknown result", tone: "warn" },
};

function marksOfCall(call: TurnCall, { trace: { index }, isUnfolded }: OutlineRow): readonly Mark[] {
  const problem = problemsIn(index).ofCall.get(call.callId);
  if (problem !== undefined) return [{ word: problemKind(problem), tone: "bad" }];
  const bar = barsOf(call, index).at(-1);
  // Below the call of a subtask, the subtask says what it does.
  const isRunning = bar !== undefined && bar.to === undefined && isUnfolded !== true;
  const outcome = index.outcomes.get(call.callId);
  if (outcome !== undefined && !(isRunning && bar.kind === "subtask")) {
    const mark = ENDS[outcome.kind];
    return mark === undefined ? [] : [mark];
  }
  const isWaiting = topState(index.paths.at(-1) ?? "") === "waiting_for_input";
  if (isWaiting && call.askId !== undefined && openAsk(index) === String(call.askId))
    return [{ word: "waiting", tone: "now" }];
  if (waitingStarts(index, index.paths.length - 1).includes(call.callId))
    return [{ word: WAITS_FOR_TURN, tone: "quiet" }];
  return isRunning ? [{ word: "running", tone: "now" }] : [];
}

function isCompacted(turn: number, { turns, timeline: { context } }: TraceIndex): boolean {
  const { seq = 0 } = turns[turn] ?? {};
  const end = turns[turn + 1]?.seq ?? Number.POSITIVE_INFINITY;
  for (let at = lastUntil(context, seq - 1, (size) => size.seq) + 1; at < context.length; at += 1) {
    const size = context[at];
    if (size === undefined || size.seq >= end) return false;
    if (size.isCompacted) return true;
  }
  return false;
}

/** The id of the ask that is open after the last event. */
const openAsk = memoized((index) => {
  const bar = index.timeline.bars.findLast(({ kind, to }) => kind === "ask" && to === undefined);
  return bar?.subject;
});

/** The problems of calls, by the calls' ids, and the others, by the positions of the turns that they happened in. */
const problemsIn = memoized((index) => {
  const ofCall = new Map<string, Problem>();
  const ofTurn = new Map<number, Problem[]>();
  for (const problem of index.problems.list) {
    if (problem.callId) {
      ofCall.set(problem.callId, problem);
      continue;
    }
    const turn = Math.max(0, turnAt(index, problem.seq));
    const others = ofTurn.get(turn) ?? [];
    others.push(problem);
    ofTurn.set(turn, others);
  }
  return { ofCall, ofTurn };
});
