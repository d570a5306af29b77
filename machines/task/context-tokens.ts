import { type Entry, estimateTokens } from "../conversation/index.ts";
import type { Change } from "./change.ts";
import type { Usage } from "./task.events.ts";

/** Adds an entry to the conversation, and an estimate of its tokens. */
export function addEntry(change: Change, entry: Entry): void {
  change.converse(entry);
  change.set({ contextTokens: change.context.contextTokens + estimateTokens(entry.content) });
}

/** Adds a response to the conversation, and the number of tokens that the endpoint counted up to its end. */
export function addResponse(change: Change, entry: Entry, usage: Usage): void {
  const { tokensIn, cacheReads, cacheWrites, tokensOut } = usage;
  const tokensSent = tokensIn + cacheReads + cacheWrites;
  if (tokensSent === 0) addEntry(change, entry);
  else {
    change.converse(entry);
    change.set({ contextTokens: tokensSent + tokensOut });
  }
}
