import type { ClineMessage } from "../machines/message/message.ts";
import { isRequestMessage, isRequestOpen, requestInfo } from "../machines/message/request.ts";
import { addUsage, NO_USAGE } from "../machines/task/request.ts";
import type { Usage } from "../machines/task/task.events.ts";

/** Sums the usage of requests, each once, when its message is closed. */
export class UsageMeter {
  #usage: Usage;
  #isUsed: boolean;
  readonly #counted = new Set<number>();

  /** @param before Usage of earlier requests */
  constructor(before?: Usage) {
    this.#usage = before ?? NO_USAGE;
    this.#isUsed = before !== undefined;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Whether any usage is known. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Add the usage in a message. Ignores a message that is no request, is open, or was added before. */
  add(message: ClineMessage): void {
    if (!isRequestMessage(message) || isRequestOpen(message) || this.#counted.has(message.ts)) return;
    const info = requestInfo(message);
    if (info === undefined) return;
    const { tokensIn = 0, tokensOut = 0, cacheWrites = 0, cacheReads = 0, cost = null } = info;
    this.#counted.add(message.ts);
    this.#isUsed = true;
    this.#usage = addUsage(this.#usage, { tokensIn, tokensOut, cacheWrites, cacheReads, cost });
  }
}
