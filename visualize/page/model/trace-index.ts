import { type AgentLoopState, topState } from "../../../machines/message/states.ts";
import type { Decision, Outcome } from "../../../machines/tool-call/call.ts";
import type { FileWrite } from "../../../machines/tool-call/file-write.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { TimelineTables } from "../timeline/lanes.ts";
import type { CheckedLaws } from "./laws.ts";
import type { Problems } from "./problems.ts";
import type { Turn } from "./turn-index.ts";

/** Consecutive events after which the task is in the same top-level state. */
export interface StateSpan {
  readonly state: AgentLoopState;
  readonly from: number;
  /** The last of them. */
  readonly to: number;
}

/** The total usage after an event. */
export interface UsageTotal {
  readonly seq: number;
  readonly at: number;
  /** Null: unknown. */
  readonly cost: number | null;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** Who approved a tool call, and in which event. */
export interface Permission {
  readonly seq: number;
  readonly by: Decision["by"];
}

/** How a tool call ended, and in which event. */
export interface CallOutcome {
  readonly seq: number;
  readonly kind: Outcome["kind"];
}

/** The kind of answer that closed an ask, and in which event. Its text is a message of its own. */
export interface GivenAnswer {
  readonly seq: number;
  readonly kind: string;
  /** The rule that answered. Absent: a person, or a program. */
  readonly rule?: string;
}

/** The files that a tool call wrote, in which event, and the intent that its task worked for. */
export interface CallWrites {
  readonly seq: number;
  readonly files: readonly FileWrite[];
  /** Undefined: the workspace has no intents, or none is selected. */
  readonly intent: string | undefined;
}

/** The moves of tool calls in one event. */
export interface MovesAt {
  readonly seq: number;
  readonly moves: NonNullable<TraceEvent["moves"]>;
}

/** The contents of an index, by events and by what events name. */
export interface TraceTables {
  /** The machine's state after each event, as a dotted path. */
  readonly paths: readonly string[];
  /** The time of each event. The times never decrease, even if the clock ran backwards. */
  readonly times: readonly number[];
  readonly stateSpans: readonly StateSpan[];
  readonly usage: readonly UsageTotal[];
  /** The event that appended the message with this `ts`. */
  readonly appendedBy: ReadonlyMap<number, number>;
  /** By the ask's id. */
  readonly answers: ReadonlyMap<number, GivenAnswer>;
  /** By the tool call's id. */
  readonly permissions: ReadonlyMap<string, Permission>;
  /** The names of the called tools, by the tool call's id. */
  readonly toolNames: ReadonlyMap<string, string>;
  /** The events that denied calls, by the tool call's id. */
  readonly denials: ReadonlyMap<string, number>;
  /** By the tool call's id. */
  readonly outcomes: ReadonlyMap<string, CallOutcome>;
  /** By the tool call's id. */
  readonly writes: ReadonlyMap<string, CallWrites>;
  /** The events in which tool calls moved. A journal has no moves. */
  readonly moves: readonly MovesAt[];
  readonly laws: CheckedLaws;
  readonly problems: Problems;
  readonly timeline: TimelineTables;
  readonly turns: readonly Turn[];
  /** The events of records, by their numbers: a live trace has events without a record as well. */
  readonly events: readonly number[];
}

/** Lookup tables of a trace of fixed length. */
export interface TraceIndex extends Omit<TraceTables, "events"> {
  /** The event of a record, by its number; undefined if the trace has none. */
  readonly eventOf: (record: number) => number | undefined;
  /** The nearest event in this direction that starts another top-level state, or the end of the trace. */
  change(at: number, step: 1 | -1): number;
  /** The events that contain all words of the query. */
  find(query: string): readonly number[];
}

/** The index with these tables. `textOf` gives the text of an event for the search. */
export function traceIndex({ events, ...tables }: TraceTables, textOf: (seq: number) => string): TraceIndex {
  const { paths, stateSpans } = tables;
  return {
    ...tables,
    eventOf: (record) => events[record],
    change: (at, step) => changeFrom(stateSpans, at, step),
    find(query) {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      if (words.length === 0) return [];
      return paths.flatMap((_, seq) => {
        const text = textOf(seq);
        return words.every((word) => text.includes(word)) ? [seq] : [];
      });
    },
  };
}

function changeFrom(spans: readonly StateSpan[], at: number, step: 1 | -1): number {
  const position = spans.findIndex(({ from, to }) => from <= at && at <= to);
  const span = spans[position];
  if (span === undefined) return at;
  if (step === 1) return spans[position + 1]?.from ?? span.to;
  return at > span.from ? span.from : (spans[position - 1]?.from ?? 0);
}

/** The spans with one more event. */
export function extendSpans(spans: StateSpan[], path: string, seq: number): void {
  const state = topState(path);
  const last = spans.at(-1);
  if (last?.state === state) spans[spans.length - 1] = { ...last, to: seq };
  else spans.push({ state, from: seq, to: seq });
}
