import { PersistentList } from "../../machines/list/index.ts";
import {
  type AgentStateInfo,
  type ClineMessage,
  detectAgentState,
  isRequestMessage,
} from "../../machines/message/index.ts";

/** What names a row. A foreign log may give one `ts` to two rows of different kinds. */
export const messageKey = ({ ts, type, ask, say }: ClineMessage): string =>
  `${ts}:${type}:${ask ?? say ?? ""}`;

/**
 * The rows of one task, as a view keeps them. To put a row in, at its place or behind all, costs the same however many
 * there are (L17); only one between others is read whole, as is a list out of order.
 */
export class MessageList {
  #rows: PersistentList<ClineMessage> = PersistentList.empty();
  /** The places of all requests, ascending. */
  #requests: number[] = [];
  /** Whether each `ts` is at least that of the row before. */
  #isInOrder = true;

  get rows(): PersistentList<ClineMessage> {
    return this.#rows;
  }

  /** The state that the rows mean. The rules look at the last row and at the newest request alone. */
  get info(): AgentStateInfo {
    const last = this.#rows.at(-1);
    const newest = this.#requests.at(-1);
    const request = newest === undefined ? undefined : this.#rows.at(newest);
    return detectAgentState([request, last].filter((row) => row !== undefined));
  }

  replace(rows: Iterable<ClineMessage>): void {
    this.#rows = PersistentList.empty();
    this.#requests = [];
    this.#isInOrder = true;
    for (const row of rows) this.append(row);
  }

  append(row: ClineMessage): void {
    const last = this.#rows.at(-1);
    if (last !== undefined && last.ts > row.ts) this.#isInOrder = false;
    if (isRequestMessage(row)) this.#requests.push(this.#rows.length);
    this.#rows = this.#rows.append(row);
  }

  /** The row of this `ts`; of several, the last. */
  byTs(ts: number): ClineMessage | undefined {
    if (!this.#isInOrder) return this.#rows.toArray().findLast((row) => row.ts === ts);
    const row = this.#rows.at(this.#lastUpTo(ts));
    return row?.ts === ts ? row : undefined;
  }

  has(row: ClineMessage): boolean {
    return this.#find(row) >= 0;
  }

  /** Whether the row would come behind all others. */
  isNewest({ ts }: ClineMessage): boolean {
    const last = this.#rows.at(-1);
    return last === undefined || last.ts <= ts;
  }

  /** Puts the row at its place: that of its former self, else by its `ts`. */
  put(row: ClineMessage): void {
    const position = this.#find(row);
    if (position >= 0) this.#rows = this.#rows.set(position, row);
    else if (this.isNewest(row)) this.append(row);
    else {
      const rows = this.#rows.toArray();
      const behind = rows.findLastIndex(({ ts }) => ts <= row.ts);
      this.replace([...rows.slice(0, behind + 1), row, ...rows.slice(behind + 1)]);
    }
  }

  #find(row: ClineMessage): number {
    const key = messageKey(row);
    const isIt = (position: number): boolean => {
      const there = this.#rows.at(position);
      return there !== undefined && messageKey(there) === key;
    };
    let position = this.#isInOrder ? this.#lastUpTo(row.ts) : this.#rows.length - 1;
    while (position >= 0 && !isIt(position)) {
      if (this.#isInOrder && this.#rows.at(position)?.ts !== row.ts) return -1;
      position -= 1;
    }
    return position;
  }

  /** The last place of a list in order whose `ts` is at most this, or -1. */
  #lastUpTo(ts: number): number {
    if (this.isNewest({ ts, type: "say" })) return this.#rows.length - 1;
    let low = -1;
    let high = this.#rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#rows.at(middle)?.ts ?? Infinity) <= ts) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
