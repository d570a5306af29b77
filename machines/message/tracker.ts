import { type AgentStateInfo, stateInfo } from "./detect.ts";
import { applyLogEvent, emptyLog, type Log, type LogEvent, type Messages } from "./log.ts";
import type { ClineMessage } from "./message.ts";
import { isRequestMessage, isRequestOpen } from "./request.ts";

/**
 * A replica of one task's log that always knows its state. Folding the task's log events gives the task's
 * log, and `info` always equals `detectAgentState` of that log (L2), also for foreign logs with duplicate
 * `ts` and unknown kinds. An event costs the same however long the log is (L17), save a replacement, which
 * is read whole, and an event that names a row of a log whose `ts` are out of order.
 *
 * @example
 * ```ts
 * import { StateTracker } from "signalbox/machines";
 * const tracker = new StateTracker();
 * tracker.apply({ type: "message.appended", message: { ts: 1, type: "say", say: "text", text: "Hello" } });
 * console.log(tracker.info.state); // running
 * ```
 */
export class StateTracker {
  #log: Log = emptyLog;
  /** The positions of all requests, ascending; the last one is the newest. Truncation pops. */
  #requests: number[] = [];
  /** The newest request as it was when its text was last parsed. */
  #parsed: { readonly row: ClineMessage; readonly open: boolean } | undefined;
  #info: AgentStateInfo | undefined;

  /** Begins with `messages` (default: none). */
  constructor(messages?: Messages) {
    if (messages) this.apply({ type: "log.replaced", messages: [...messages] });
  }

  /** The log as it stands. */
  get log(): Log {
    return this.#log;
  }

  /** The state of the log as it stands. */
  get info(): AgentStateInfo {
    this.#info ??= stateInfo(this.#log.at(-1), () => this.#isNewestRequestOpen());
    return this.#info;
  }

  /** Folds one event and returns the state after it. */
  apply(event: LogEvent): AgentStateInfo {
    this.#log = applyLogEvent(this.#log, event);
    this.#info = undefined;
    this.#forgetFrom(this.#log.length);
    if (event.type === "message.appended") this.#noteRow(event.message, this.#log.length - 1);
    if (event.type === "log.replaced") {
      this.#requests = [];
      event.messages.forEach((message, position) => {
        this.#noteRow(message, position);
      });
    }
    return this.info;
  }

  #noteRow(message: ClineMessage, position: number): void {
    if (isRequestMessage(message)) this.#requests.push(position);
  }

  #forgetFrom(length: number): void {
    while ((this.#requests.at(-1) ?? -1) >= length) this.#requests.pop();
  }

  #isNewestRequestOpen(): boolean {
    const position = this.#requests.at(-1);
    const row = position === undefined ? undefined : this.#log.at(position);
    if (row === undefined) return false;
    if (this.#parsed?.row !== row) this.#parsed = { row, open: isRequestOpen(row) };
    return this.#parsed.open;
  }
}
