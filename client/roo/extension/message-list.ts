import { PersistentList } from "../../../machines/list/list.ts";
import { type AgentStateInfo, detectAgentState } from "../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { isRequestMessage } from "../../../machines/message/request.ts";

/** The key of a message. In a foreign log two messages of different kinds may have the same `ts`. */
export const messageKey = ({ ts, type, ask, say }: ClineMessage): string =>
  `${ts}:${type}:${ask ?? say ?? ""}`;

/**
 * The messages of one task. Replacing and appending cost the same however many there are (L17); inserting between others,
 * and a list out of order, are linear.
 */
export class MessageList {
  #messages: PersistentList<ClineMessage> = PersistentList.empty();
  /** The positions of all requests, ascending. */
  #requests: number[] = [];
  /** Whether the `ts` are in ascending order. */
  #isInOrder = true;

  get messages(): PersistentList<ClineMessage> {
    return this.#messages;
  }

  /** The state that the messages mean. It depends on the last message and the latest request only. */
  get info(): AgentStateInfo {
    const last = this.#messages.at(-1);
    const newest = this.#requests.at(-1);
    const request = newest === undefined ? undefined : this.#messages.at(newest);
    return detectAgentState([request, last].filter((message) => message !== undefined));
  }

  replace(messages: Iterable<ClineMessage>): void {
    this.#messages = PersistentList.empty();
    this.#requests = [];
    this.#isInOrder = true;
    for (const message of messages) this.append(message);
  }

  append(message: ClineMessage): void {
    const last = this.#messages.at(-1);
    if (last !== undefined && last.ts > message.ts) this.#isInOrder = false;
    if (isRequestMessage(message)) this.#requests.push(this.#messages.length);
    this.#messages = this.#messages.append(message);
  }

  /** The message with this `ts`; of several, the last. */
  byTs(ts: number): ClineMessage | undefined {
    if (!this.#isInOrder) return this.#messages.toArray().findLast((message) => message.ts === ts);
    const message = this.#messages.at(this.#lastUpTo(ts));
    return message?.ts === ts ? message : undefined;
  }

  has(message: ClineMessage): boolean {
    return this.#find(message) >= 0;
  }

  /** Whether the message would be the last. */
  isNewest({ ts }: ClineMessage): boolean {
    const last = this.#messages.at(-1);
    return last === undefined || last.ts <= ts;
  }

  /** Replace a message, or insert it by its `ts`. */
  put(message: ClineMessage): void {
    const position = this.#find(message);
    if (position >= 0) this.#messages = this.#messages.set(position, message);
    else if (this.isNewest(message)) this.append(message);
    else {
      const messages = this.#messages.toArray();
      const behind = messages.findLastIndex(({ ts }) => ts <= message.ts);
      this.replace([...messages.slice(0, behind + 1), message, ...messages.slice(behind + 1)]);
    }
  }

  #find(message: ClineMessage): number {
    const key = messageKey(message);
    const isIt = (position: number): boolean => {
      const candidate = this.#messages.at(position);
      return candidate !== undefined && messageKey(candidate) === key;
    };
    let position = this.#isInOrder ? this.#lastUpTo(message.ts) : this.#messages.length - 1;
    while (position >= 0 && !isIt(position)) {
      if (this.#isInOrder && this.#messages.at(position)?.ts !== message.ts) return -1;
      position -= 1;
    }
    return position;
  }

  /** The last position in an ordered list whose `ts` is at most this, or -1. */
  #lastUpTo(ts: number): number {
    if (this.isNewest({ ts, type: "say" })) return this.#messages.length - 1;
    let low = -1;
    let high = this.#messages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#messages.at(middle)?.ts ?? Infinity) <= ts) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
