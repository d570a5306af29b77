import {
  applyConversationEvent,
  type ConversationEvent,
  emptyConversation,
} from "../../machines/conversation/conversation.ts";
import { detectAgentState } from "../../machines/message/detect.ts";
import { type Log, type LogEvent, positionOf } from "../../machines/message/log.ts";
import type { ClineMessage, Patch } from "../../machines/message/message.ts";
import { isRequestMessage, isRequestOpen } from "../../machines/message/request.ts";
import { StateTracker } from "../../machines/message/tracker.ts";
import type { EffectEvent } from "../../machines/task/task.events.ts";
import { monitorConversation } from "./conversation.ts";
import { isUnclosedAsk, nameOf } from "./messages.ts";
import type { Checked } from "./monitored-laws.ts";
import { type LogViolation, quoted } from "./violation.ts";

/** The checked part of a recorded macrostep. A commit record of a journal has all fields. */
export interface RecordedCommit {
  readonly cause?: RecordedAnswer | undefined;
  readonly log?: readonly LogEvent[] | undefined;
  readonly conversation?: readonly ConversationEvent[] | undefined;
  readonly effects?: readonly EffectEvent[] | undefined;
  /** State after the macrostep, as a dotted path. */
  readonly after?: string | undefined;
}

/** The cause of a commit, as far as it is checked. */
export interface RecordedAnswer {
  readonly type: string;
  /** The ask that an answer names. */
  readonly askId?: unknown;
}

/**
 * Check the laws against the recorded commits of a task. After each commit the log derives the recorded state (L1),
 * an incremental tracker agrees (L2), and L3, L4 and L8 hold; every change is one that L5 allows; every request that
 * is sent obeys L6. `at` of a violation is the position of the commit. Constant time per commit; one that sends a
 * request takes time for what the conversation has more than when the request before was sent.
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
  for (const commit of commits) monitor.addCommit(commit);
  return monitor.violations;
}

const IMMUTABLE = new Set(["ts", "type", "ask", "say"]);
/** The events that answer an ask. */
const ANSWERS = new Set(["ask.answered", "ask.expired"]);
const CLOSING_FIELDS = new Set(["closing", "isAnswered"]);
/** Whether the message may have the status of its running call. */
const isApprovedCall = ({ type, callId, closing }: ClineMessage): boolean =>
  type === "ask" && callId !== undefined && (closing === "answered" || closing === "expired");
const isOpenAsk = (message: ClineMessage): boolean => message.type === "ask" && message.closing === undefined;

/** {@link monitorCommits} for commits that arrive one by one. */
export class CommitMonitor {
  readonly #violations: LogViolation[] = [];
  readonly #tracker = new StateTracker();
  /** Messages that are partial or open, by `ts`. */
  readonly #partial = new Set<number>();
  readonly #requests = new Set<number>();
  readonly #asks = new Set<number>();
  readonly #reported = new Set<string>();
  #conversation = emptyConversation;
  /** The entries that were checked when the newest request was sent. The last of them may have grown since. */
  #sentEntries = 0;
  readonly #checked = { commits: 0, changes: 0, messages: 0, requests: 0, asks: 0, sent: 0 };
  #at = -1;

  /** Violations so far, in order. */
  get violations(): readonly LogViolation[] {
    return this.#violations;
  }

  /** Position of the newest commit, from 0; -1 before the first. */
  get at(): number {
    return this.#at;
  }

  /** The number of things that were checked so far. */
  get checked(): Checked {
    return { ...this.#checked };
  }

  /** The log after all changes so far. */
  get log(): Log {
    return this.#tracker.log;
  }

  /** Add one change of a log without commits. Call {@link settle} at the end of a macrostep. */
  addChange(event: LogEvent): void {
    this.#at += 1;
    this.#change(event);
  }

  /** Check the state after the changes of a macrostep. */
  settle(): void {
    this.#settled(undefined);
  }

  /** Add and check a commit. */
  addCommit({ cause, log = [], conversation = [], effects = [], after }: RecordedCommit): void {
    this.#at += 1;
    if (cause !== undefined) this.#answered(cause);
    for (const event of log) this.#change(event);
    for (const event of conversation) {
      if (event.type === "entries.replaced") this.#sentEntries = 0;
      this.#conversation = applyConversationEvent(this.#conversation, event);
    }
    this.#settled(after);
    if (effects.some(({ type, effect }) => type === "effect.started" && effect === "llm")) this.#sent();
  }

  /** An answer that changes something names the last message, which is an ask. Older journals do not have its id. */
  #answered({ type, askId }: RecordedAnswer): void {
    if (!ANSWERS.has(type) || typeof askId !== "number") return;
    const last = this.#tracker.log.at(-1);
    const isAsk = last?.type === "ask" && last.partial !== true;
    if (isAsk && last.ts === askId) return;
    this.#report(
      "L8",
      isAsk ? `an answer to ${nameOf(last)} (${last.ts})` : "no answer: no ask is open",
      `an answer to ${askId}`,
    );
  }

  /** A rule is about an entry and the one before: only entries from the last checked response on can break one. */
  #sent(): void {
    let first = Math.max(0, this.#sentEntries - 1);
    while (first > 0 && this.#conversation.at(first)?.role !== "assistant") first -= 1;
    const recent = this.#conversation.toArray(first);
    const before = first === 0 ? [] : [ENTRY_BEFORE];
    for (const { at, expected, came } of monitorConversation([...before, ...recent])) {
      const entry = at + first - before.length;
      this.#report("L6", expected, `entry ${entry}: ${came}`, `L6 ${entry} ${came}`);
    }
    this.#sentEntries = this.#conversation.length;
    this.#checked.sent += 1;
  }

  #change(event: LogEvent): void {
    this.#checked.changes += 1;
    const { log } = this.#tracker;
    const last = log.at(-1);
    switch (event.type) {
      case "message.appended":
        this.#count(event.message);
        this.#appended(event.message, last);
        break;
      case "message.grown":
      case "message.amended":
        this.#amended(event, last);
        break;
      default:
        if (event.type === "log.replaced") for (const message of event.messages) this.#count(message);
        if (log.length > 0)
          this.#report("L5", "messages are appended, grown and amended only", `a ${event.type}`);
    }
    this.#tracker.apply(event);
    this.#track(event);
  }

  #count(message: ClineMessage): void {
    this.#checked.messages += 1;
    if (isRequestMessage(message)) this.#checked.requests += 1;
    if (message.type === "ask") this.#checked.asks += 1;
  }

  #appended(message: ClineMessage, last: ClineMessage | undefined): void {
    if (last === undefined) return;
    if (!(message.ts > last.ts))
      this.#report("L5", `a ts after the previous message's ${last.ts}`, `${message.ts}`);
    if (isOpenAsk(last))
      this.#report(
        "L8",
        "nothing is appended after an open ask",
        `${nameOf(message)} after ${nameOf(last)} (${last.ts})`,
      );
  }

  #amended(
    event: Extract<LogEvent, { type: "message.grown" | "message.amended" }>,
    last: ClineMessage | undefined,
  ): void {
    const { log } = this.#tracker;
    const message = log.at(positionOf(log, event.ts));
    if (message?.ts !== event.ts) {
      this.#report("L2", "a change names an existing message", `${event.type} of ${event.ts}`);
      return;
    }
    const isLast = message === last;
    const patch = event.type === "message.amended" ? event.patch : undefined;
    if (patch === undefined ? mayGrow(message, isLast) : mayAmend(message, isLast, patch)) return;
    if (patch?.closing !== undefined && message.closing !== undefined)
      this.#report("L8", "an ask is closed once", `${nameOf(message)} (${message.ts}) was closed again`);
    else
      this.#report(
        "L5",
        "only a partial last message, the output of a shown command, the open request, closing marks and statuses of approved calls change",
        `${nameOf(message)} (${message.ts}) was changed by ${quoted(event.type === "message.grown" ? event.text : event.patch)}`,
      );
  }

  #track(event: LogEvent): void {
    if (event.type === "log.replaced" || event.type === "log.truncated") {
      for (const set of [this.#partial, this.#requests, this.#asks]) set.clear();
      for (const message of this.#tracker.log) this.#trackMessage(message);
      return;
    }
    const { log } = this.#tracker;
    const message = log.at(positionOf(log, "ts" in event ? event.ts : event.message.ts));
    if (message !== undefined) this.#trackMessage(message);
  }

  #trackMessage(message: ClineMessage): void {
    toggle(this.#partial, message.ts, message.partial === true);
    toggle(this.#requests, message.ts, isRequestMessage(message) && isRequestOpen(message));
    toggle(this.#asks, message.ts, isUnclosedAsk(message));
  }

  #settled(after: string | undefined): void {
    this.#checked.commits += 1;
    const { log, info } = this.#tracker;
    const derived = detectAgentState(log).state;
    if (info.state !== derived) this.#report("L2", `a replica derives ${derived}`, info.state);
    const state = after?.split(".", 1)[0] ?? derived;
    if (state !== derived)
      this.#report("L1", `a log that derives ${state}, the recorded state`, `a log that derives ${derived}`);
    this.#onlyLast("L3", this.#partial, "only the last message may be partial");
    this.#onlyLast("L8", this.#asks, "an open ask is the last message");
    this.#requestsFit(derived === "streaming");
  }

  #onlyLast(law: string, open: ReadonlySet<number>, expected: string): void {
    const last = this.#tracker.log.at(-1)?.ts;
    for (const ts of open)
      if (ts !== last) this.#report(law, expected, `the message ${ts} is not`, `${law} ${ts}`);
  }

  #requestsFit(isStreaming: boolean): void {
    const open = this.#requests.size;
    if (open === (isStreaming ? 1 : 0)) return;
    const expected = isStreaming ? "one request is open while streaming" : "no request is open";
    this.#report("L4", expected, `${open} are open`, `L4 ${[...this.#requests].join()}`);
  }

  /** `once` is the key of a violation that later commits repeat. */
  #report(law: string, expected: string, came: string, once?: string): void {
    if (once !== undefined && this.#reported.has(once)) return;
    if (once !== undefined) this.#reported.add(once);
    // An append after an open ask is reported; do not report the ask again.
    if (law === "L8") for (const ts of this.#asks) this.#reported.add(`L8 ${ts}`);
    this.#violations.push({ law, at: this.#at, expected, came });
  }
}

/** An entry of the user before a response: its faults were reported when it was checked itself. */
const ENTRY_BEFORE = { role: "user", content: "before" } as const;

function toggle(set: Set<number>, ts: number, isMember: boolean): void {
  if (isMember) set.add(ts);
  else set.delete(ts);
}

const mayGrow = (message: ClineMessage, isLast: boolean): boolean =>
  isLast && (message.partial === true || (message.ask === "command_output" && message.closing === undefined));

function mayAmend(message: ClineMessage, isLast: boolean, patch: Patch): boolean {
  const names = Object.keys(patch);
  if (names.some((name) => IMMUTABLE.has(name))) return false;
  if (isLast && message.partial === true) return true;
  const before = new Map<string, unknown>(Object.entries(message));
  const changed = Object.entries(patch).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before.get(key)),
  );
  const keys = changed.map(([key]) => key);
  if (isRequestMessage(message)) return isRequestOpen(message) && keys.join() === "text";
  if (names.join() === "progressStatus") return isApprovedCall(message);
  // A journal does not record growth: the last change has the whole text.
  const grows =
    isLast && message.ask === "command_output" && (patch.text ?? "").startsWith(message.text ?? "");
  return isOpenAsk(message) && keys.every((key) => CLOSING_FIELDS.has(key) || (grows && key === "text"));
}
