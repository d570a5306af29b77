import {
  applyConversationEvent,
  type ConversationEvent,
  emptyConversation,
} from "../../machines/conversation/index.ts";
import {
  type ClineMessage,
  detectAgentState,
  isRequestMessage,
  isRequestOpen,
  type Log,
  type LogEvent,
  type Patch,
  positionOf,
  StateTracker,
} from "../../machines/message/index.ts";
import type { EffectEvent } from "../../machines/task/index.ts";
import { monitorConversation } from "./conversation.ts";
import { isUnclosedAsk, nameOf } from "./message-name.ts";
import { type LogViolation, quoted } from "./violation.ts";

/** What is looked at of one recorded macrostep: a commit record of a journal has all of it. */
export interface RecordedCommit {
  readonly log?: readonly LogEvent[] | undefined;
  readonly conversation?: readonly ConversationEvent[] | undefined;
  readonly effects?: readonly EffectEvent[] | undefined;
  /** The state that it settled in, as a dotted path. */
  readonly after?: string | undefined;
}

/**
 * Holds the laws against a task that was recorded change by change: the rows mean the recorded state (L1), a
 * replica that follows knows the same state (L2), and after each commit L3, L4 and L8; no change but those that
 * L5 allows; L6 for each request that was sent. `at` of a violation is the commit's position. A commit costs the
 * same however long the log is, but for those that send a request.
 *
 * @example
 * ```ts
 * import { monitorCommits } from "signalbox/verify";
 * const ask = { ts: 1, type: "ask", ask: "tool", text: "{}" } as const;
 * const late = { ts: 2, type: "say", say: "text", text: "late" } as const;
 * const found = monitorCommits([
 *   { log: [{ type: "message.appended", message: ask }] },
 *   { log: [{ type: "message.appended", message: late }] },
 * ]);
 * console.log(found.map(({ law, at }) => `${law} at ${at}`).join(", ")); // L8 at 1
 * ```
 */
export function monitorCommits(commits: Iterable<RecordedCommit>): readonly LogViolation[] {
  const monitor = new CommitMonitor();
  for (const commit of commits) monitor.take(commit);
  return monitor.found;
}

const FOR_EVER = new Set(["ts", "type", "ask", "say"]);
const MARKS = new Set(["closing", "isAnswered"]);
const isOpenAsk = (row: ClineMessage): boolean => row.type === "ask" && row.closing === undefined;

/** The same, for commits that come one by one. */
export class CommitMonitor {
  readonly #found: LogViolation[] = [];
  readonly #tracker = new StateTracker();
  /** The rows that are open in some way, by their ts; and the first of them that are not last is a violation once. */
  readonly #partial = new Set<number>();
  readonly #requests = new Set<number>();
  readonly #asks = new Set<number>();
  readonly #told = new Set<string>();
  #conversation = emptyConversation;
  #at = -1;

  /** What was found so far, in order. */
  get found(): readonly LogViolation[] {
    return this.#found;
  }

  /** The position of the newest commit, from 0; -1 before the first. */
  get at(): number {
    return this.#at;
  }

  /** The rows as the changes so far give them. */
  get rows(): Log {
    return this.#tracker.log;
  }

  /** One change of a log whose commits are not known. Whether all fits together is told by {@link settle}. */
  change(event: LogEvent): void {
    this.#at += 1;
    this.#change(event);
  }

  /** The changes so far are all of a macrostep. */
  settle(): void {
    this.#settled(undefined);
  }

  /** One commit. */
  take({ log = [], conversation = [], effects = [], after }: RecordedCommit): void {
    this.#at += 1;
    for (const event of log) this.#change(event);
    for (const event of conversation) this.#conversation = applyConversationEvent(this.#conversation, event);
    this.#settled(after);
    const sends = effects.some(({ type, effect }) => type === "effect.started" && effect === "llm");
    if (sends) {
      for (const { at, expected, came } of monitorConversation(this.#conversation))
        this.#tell("L6", expected, `entry ${at}: ${came}`, `L6 ${at} ${came}`);
    }
  }

  #change(event: LogEvent): void {
    const { log } = this.#tracker;
    const last = log.at(-1);
    switch (event.type) {
      case "message.appended":
        this.#appended(event.message, last);
        break;
      case "message.grown":
      case "message.amended":
        this.#amended(event, last);
        break;
      default:
        if (log.length > 0) this.#tell("L5", "rows are appended, grown and amended only", `a ${event.type}`);
    }
    this.#tracker.apply(event);
    this.#note(event);
  }

  #appended(message: ClineMessage, last: ClineMessage | undefined): void {
    if (last === undefined) return;
    if (!(message.ts > last.ts))
      this.#tell("L5", `a ts after ${last.ts}, that of the row before`, `${message.ts}`);
    if (isOpenAsk(last))
      this.#tell(
        "L8",
        "nothing is appended behind an open ask",
        `${nameOf(message)} behind ${nameOf(last)} (${last.ts})`,
      );
  }

  #amended(
    event: Extract<LogEvent, { type: "message.grown" | "message.amended" }>,
    last: ClineMessage | undefined,
  ): void {
    const { log } = this.#tracker;
    const row = log.at(positionOf(log, event.ts));
    if (row?.ts !== event.ts) {
      this.#tell("L2", "a change names a row that is there", `${event.type} of ${event.ts}`);
      return;
    }
    const isLast = row === last;
    if (event.type === "message.grown" ? mayGrow(row, isLast) : mayAmend(row, isLast, event.patch)) return;
    if (event.type === "message.amended" && event.patch.closing !== undefined && row.closing !== undefined)
      this.#tell("L8", "an ask is closed once", `${nameOf(row)} (${row.ts}) was closed again`);
    else
      this.#tell(
        "L5",
        "only a partial last row, a shown command's output, the open request and an ask's mark change",
        `${nameOf(row)} (${row.ts}) was changed by ${quoted(event.type === "message.grown" ? event.text : event.patch)}`,
      );
  }

  #note(event: LogEvent): void {
    if (event.type === "log.replaced" || event.type === "log.truncated") {
      for (const set of [this.#partial, this.#requests, this.#asks]) set.clear();
      for (const row of this.#tracker.log) this.#noteRow(row);
      return;
    }
    const { log } = this.#tracker;
    const row = log.at(positionOf(log, "ts" in event ? event.ts : event.message.ts));
    if (row !== undefined) this.#noteRow(row);
  }

  #noteRow(row: ClineMessage): void {
    put(this.#partial, row.ts, row.partial === true);
    put(this.#requests, row.ts, isRequestMessage(row) && isRequestOpen(row));
    put(this.#asks, row.ts, isUnclosedAsk(row));
  }

  #settled(after: string | undefined): void {
    const { log, info } = this.#tracker;
    const meant = detectAgentState(log).state;
    if (info.state !== meant) this.#tell("L2", `a replica knows ${meant}`, info.state);
    const state = after?.split(".", 1)[0] ?? meant;
    if (state !== meant)
      this.#tell("L1", `rows that mean ${state}, the recorded state`, `rows that mean ${meant}`);
    this.#onlyLast("L3", this.#partial, "only the last row may be partial");
    this.#onlyLast("L8", this.#asks, "an open ask is the last row");
    this.#requestsFit(meant === "streaming");
  }

  #onlyLast(law: string, open: ReadonlySet<number>, expected: string): void {
    const last = this.#tracker.log.at(-1)?.ts;
    for (const ts of open) if (ts !== last) this.#tell(law, expected, `the row ${ts} is not`, `${law} ${ts}`);
  }

  #requestsFit(isStreaming: boolean): void {
    const open = this.#requests.size;
    if (open === (isStreaming ? 1 : 0)) return;
    const expected = isStreaming ? "one request is open while streaming" : "no request is open";
    this.#tell("L4", expected, `${open} are open`, `L4 ${[...this.#requests].join()}`);
  }

  /** `once`: what is told a single time, though each later commit shows it again. */
  #tell(law: string, expected: string, came: string, once?: string): void {
    if (once !== undefined && this.#told.has(once)) return;
    if (once !== undefined) this.#told.add(once);
    // What was told as an append is not told again for what it left behind.
    if (law === "L8") for (const ts of this.#asks) this.#told.add(`L8 ${ts}`);
    this.#found.push({ law, at: this.#at, expected, came });
  }
}

function put(set: Set<number>, ts: number, isIn: boolean): void {
  if (isIn) set.add(ts);
  else set.delete(ts);
}

const mayGrow = (row: ClineMessage, isLast: boolean): boolean =>
  isLast && (row.partial === true || (row.ask === "command_output" && row.closing === undefined));

function mayAmend(row: ClineMessage, isLast: boolean, patch: Patch): boolean {
  const before = new Map<string, unknown>(Object.entries(row));
  const changed = Object.entries(patch).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before.get(key)),
  );
  const keys = changed.map(([key]) => key);
  if (Object.keys(patch).some((key) => FOR_EVER.has(key))) return false;
  if (isLast && row.partial === true) return true;
  if (isRequestMessage(row)) return isRequestOpen(row) && keys.join() === "text";
  // A journal has no growth: the row's end brings the whole text.
  const grows = isLast && row.ask === "command_output" && (patch.text ?? "").startsWith(row.text ?? "");
  return isOpenAsk(row) && keys.every((key) => MARKS.has(key) || (grows && key === "text"));
}
