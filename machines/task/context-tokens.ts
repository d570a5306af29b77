import { wholeFrom, withStubs } from "../conversation/artifacts.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Entry } from "../conversation/entry.ts";
import { estimateEntries, estimateTokens } from "../conversation/tokens.ts";
import type { Change } from "./change.ts";
import type { TaskContext } from "./task.context.ts";
import type { Usage } from "./task.events.ts";

/** The recorded conversation, with stubs in place of old tool results: what is sent, and what is measured. */
export const stubbedConversation = ({ conversation, limits }: TaskContext): Conversation =>
  withStubs(conversation, limits);

/** Adds an entry to the conversation, and an estimate of its tokens. */
export function addEntry(change: Change, entry: Entry): void {
  add(change, entry, change.context.contextTokens + estimateTokens(entry.content));
}

/** Adds a response to the conversation, and the number of tokens that the endpoint counted up to its end. */
export function addResponse(change: Change, entry: Entry, usage: Usage): void {
  const { tokensIn, cacheReads, cacheWrites, tokensOut } = usage;
  const tokensSent = tokensIn + cacheReads + cacheWrites;
  if (tokensSent === 0) addEntry(change, entry);
  else add(change, entry, tokensSent + tokensOut);
}

function add(change: Change, entry: Entry, tokens: number): void {
  const { conversation: before } = change.context;
  change.converse(entry);
  change.set({ contextTokens: Math.max(0, tokens - newlyLeftOut(before, change.context)) });
}

/** Tokens of the tool results that are too old after an entry was added: they are not sent again. */
function newlyLeftOut(before: Conversation, after: TaskContext): number {
  const { conversation, limits } = after;
  if (limits.artifactChars === 0) return 0;
  const [from, to] = [wholeFrom(before, limits), wholeFrom(conversation, limits)];
  return estimateEntries(conversation, from, to) - estimateEntries(stubbedConversation(after), from, to);
}
