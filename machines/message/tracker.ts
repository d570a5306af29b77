import { type AgentStateInfo, stateInfo } from "./detect.ts";
import { applyLogEvent, emptyLog, type Log, type LogEvent, type Messages } from "./log.ts";
import type { ClineMessage } from "./message.ts";
import { isRequestMessage, isRequestOpen } from "./request.ts";

/**
 * A replica of one task's log with its state. `info` always equals `detectAgentState` of the log (L2), also for foreign
 * logs with duplicate `ts` and unknown kinds. The cost of an event does not depend on the length of the log (L17), except
 * for a replacement, and for a change of a message in a log that is not sorted by `ts`.
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
  /** Positions of all requests, ascending. */
  #requests: number[] = [];
  /** The newest request whose text was parsed, and the result. */
  #parsed: { readonly request: ClineMessage; readonly isOpen: boolean } | undefined;
  #info: AgentStateInfo | undefined;

  /** @param messages the initial log (default: empty) */
  constructor(messages?: Messages) {
    if (messages) this.apply({ type: "log.replaced", messages: [...messages] });
  }

  /** The current log. */
  get log(): Log {
    return this.#log;
  }

  /** The current state. */
  get info(): AgentStateInfo {
    this.#info ??= stateInfo(this.#log.at(-1), () => this.#isNewestRequestOpen());
    return this.#info;
  }

  /** Apply one event and return the state after it. */
  apply(event: LogEvent): AgentStateInfo {
    this.#log = applyLogEvent(this.#log, event);
    this.#info = undefined;
    this.#truncateRequests(this.#log.length);
    if (event.type === "message.appended") this.#addRequest(event.message, this.#log.length - 1);
    if (event.type === "log.replaced") {
      this.#requests = [];
      event.messages.forEach((message, position) => {
        this.#addRequest(message, position);
      });
    }
    return this.info;
  }

  #addRequest(message: ClineMessage, position: number): void {
    if (isRequestMessage(message)) this.#requests.push(position);
  }

  #truncateRequests(length: number): void {
    while ((this.#requests.at(-1) ?? -1) >= length) this.#requests.pop();
  }

  #isNewestRequestOpen(): boolean {
    const position = this.#requests.at(-1);
    const request = position === undefined ? undefined : this.#log.at(position);
    if (request === undefined) return false;
    if (this.#parsed?.request !== request) this.#parsed = { request, isOpen: isRequestOpen(request) };
    return this.#parsed.isOpen;
  }
}
