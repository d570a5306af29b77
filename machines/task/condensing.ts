import { assertEvent } from "xstate";
import { condensed, keptFrom, truncated } from "../conversation/condense.ts";
import type { EntriesReplaced } from "../conversation/conversation.ts";
import { sentConversation } from "../conversation/sent.ts";
import { estimateEntries, estimateTokens } from "../conversation/tokens.ts";
import type { ClineMessage } from "../message/message.ts";
import type { Change } from "./change.ts";
import { endCompaction, requestedCompaction } from "./compaction.ts";
import { stubbedConversation } from "./context-tokens.ts";
import { applyControl, isSummaryWithheld, tellAboutSummary } from "./control.ts";
import { BrokenInvariantError } from "./errors.ts";
import { actorIntent } from "./intent.ts";
import { requestMode } from "./mode.ts";
import { requestProfile } from "./profile.ts";
import { addUsage, assertSendable, historyOf, responseControl } from "./request.ts";
import { closePartialMessage } from "./stream.ts";
import type { TaskContext } from "./task.context.ts";
import type { CondenseEvent, Failure } from "./task.events.ts";

/** Share of the window that a condensation at the threshold frees at least. */
const FREED_SHARE = 0.1;
/** Share of the window that is kept where entries are removed without a summary. */
const SLIDING_SHARE = 0.5;

/** Codes of failures that say that the request is longer than the window. */
const TOO_LONG: ReadonlySet<string> = new Set(["prompt_too_long", "request_too_large"]);
/** Codes of failures that another attempt at a summary would not change. */
const UNUSABLE: ReadonlySet<string> = new Set([...TOO_LONG, "refusal", "empty_answer", "answer_too_large"]);

/** Tokens of the model's window, or the used ones where it is unknown. */
const windowOf = ({ requestModel, contextTokens }: TaskContext): number =>
  requestModel?.model?.contextWindow ?? contextTokens;

/** The position from which a condensed conversation keeps everything. */
const positionToKeep = (context: TaskContext): number | undefined =>
  keptFrom(stubbedConversation(context), windowOf(context) * context.limits.condenseKeeps);

/** Tokens from which a request condenses the conversation first. */
const thresholdOf = ({ requestModel, limits }: TaskContext): number =>
  (requestModel?.model?.contextWindow ?? Number.POSITIVE_INFINITY) * limits.condenseAt;

type Failed = Extract<CondenseEvent, { type: "condense.failed" }>;
type Summary = Extract<CondenseEvent, { type: "condense.finished" }>;

const isNearlyFull = (context: TaskContext): boolean => context.contextTokens >= thresholdOf(context);

/** Whether the conversation is condensed before the request is sent. */
export function condenses(context: TaskContext): boolean {
  const isRequested = requestedCompaction(context) !== undefined;
  if (!isRequested && !isNearlyFull(context)) return false;
  const from = positionToKeep(context);
  if (from === undefined || isRequested) return from !== undefined;
  return estimateEntries(stubbedConversation(context), 0, from) >= windowOf(context) * FREED_SHARE;
}

/** Whether a request that is too long is sent again with a condensed conversation: once, until there is a response. */
export const mayCondense = (context: TaskContext, { code }: Failure): boolean =>
  TOO_LONG.has(code) && context.compaction?.state !== "applied" && positionToKeep(context) !== undefined;

/** Whether the summary replaces entries: it is shorter than they are, and no protocol withholds it. */
export function isUsable(context: TaskContext, finished: Summary): boolean {
  const { summary } = finished;
  const from = positionToKeep(context);
  if (from === undefined || summary.trim() === "" || isSummaryWithheld(context, finished)) return false;
  const event = condensed(context.conversation, from, summary);
  return tokensOf(event) < estimateEntries(stubbedConversation(context), 0, from);
}

/** Whether another attempt would give no usable summary either. */
export const isUnusable = ({ code }: Failure): boolean => UNUSABLE.has(code);

/** Reports a requested condensation of a conversation that has nothing to condense. */
export function refuseCompaction(change: Change): void {
  endCompaction(change);
  change.append({ type: "say", say: "condense_context_error", text: NOTHING });
}

const NOTHING = "There is nothing to condense: the conversation has only its newest turn.";

/** Starts the summary of the entries before the kept ones, unless the endpoint counts fewer tokens than an estimate. */
export function startCondensing(change: Change): void {
  const { request, requestModel } = change.context;
  const from = positionToKeep(change.context);
  if (request === undefined || from === undefined) throw new BrokenInvariantError("nothing is condensed");
  const requested = requestedCompaction(change.context);
  const estimated = { history: historyOf(change.context), threshold: thresholdOf(change.context) };
  change.start("condense", "condense", {
    requestId: request,
    conversation: sentConversation(stubbedConversation(change.context).truncate(from), requestModel?.model),
    instructions: requested?.instructions ?? "",
    estimated: requested === undefined ? estimated : undefined,
    mode: requestMode(change.context),
    ...actorIntent(change.context),
    ...requestProfile(change.context),
    ...responseControl(change.context),
  });
}

/** Replaces the estimate by what the endpoint counted: the request is sent as it is. */
export function recordCount(change: Change): void {
  const { event } = change;
  assertEvent(event, "condense.unneeded");
  change.set({ contextTokens: event.tokens });
}

/** The message of the summary that is being written. */
export function condensingMessage({ log }: TaskContext): ClineMessage | undefined {
  const last = log.at(-1);
  return last?.say === "condense_context" && last.partial === true ? last : undefined;
}

/** Shows that a summary is being written. */
export function showCondensing(change: Change): void {
  change.append({ type: "say", say: "condense_context", text: "", partial: true });
}

/** Replaces the entries before the kept ones by their summary (COMPACT). Its cost is part of the open request's. */
export function condense(change: Change): void {
  const { event } = change;
  assertEvent(event, "condense.finished");
  const from = positionToKeep(change.context);
  if (from === undefined) throw new BrokenInvariantError("nothing is condensed");
  applyVerdict(change, event);
  const tokens = replaceEntries(change, condensed(change.context.conversation, from, event.summary));
  const closed = {
    text: `The conversation was condensed from ${tokens.prevContextTokens} to about ${tokens.newContextTokens} tokens.`,
    contextCondense: { summary: event.summary, cost: 0, ...tokens },
  };
  const message = condensingMessage(change.context);
  if (message === undefined) change.append({ type: "say", say: "condense_context", ...closed });
  else change.amend(message.ts, { partial: false, ...closed });
  tellAboutSummary(change, event);
  endCompaction(change);
}

/** Adds the usage of a summary to the open request's, and applies what a protocol decided about it. */
function applyVerdict(change: Change, event: Summary | Failed): void {
  change.set({ condenseUsage: addUsage(change.context.condenseUsage, event.usage) });
  if (event.type === "condense.finished") applyControl(change, event.control);
}

/** Reports that there is no shorter summary. Where the window is full, the oldest turns are removed. */
export function skipCondensing(change: Change): void {
  reportUncondensed(change);
  if (isNearlyFull(change.context) || requestedCompaction(change.context)?.by === "window")
    removeOldest(change);
  endCompaction(change);
}

/** Ends a task whose protocol ends it instead of accepting a summary. No request follows. */
export function endInCondensing(change: Change): void {
  reportUncondensed(change);
  endCompaction(change);
}

function reportUncondensed(change: Change): void {
  const { event } = change;
  assertEvent(event, ["condense.finished", "condense.failed"]);
  applyVerdict(change, event);
  closePartialMessage(change);
  const reason = reasonOf(event);
  change.append({
    type: "say",
    say: "condense_context_error",
    text: `The conversation was not condensed: ${reason}`,
  });
}

const reasonOf = (event: Summary | Failed): string =>
  event.type === "condense.failed" ? event.failure.message : (event.withheld ?? NOT_SHORTER);

const NOT_SHORTER = "its summary is not shorter.";

/** Removes whole turns from the oldest, after the first entry, until half of the window is used. */
function removeOldest(change: Change): void {
  const { conversation, request } = change.context;
  const from = keptFrom(stubbedConversation(change.context), windowOf(change.context) * SLIDING_SHARE);
  if (from === undefined) return;
  const tokens = replaceEntries(change, truncated(conversation, from));
  const messagesRemoved = from - 1;
  change.append({
    type: "say",
    say: "sliding_window_truncation",
    text: `The oldest ${messagesRemoved} messages of the conversation are left out of the next requests.`,
    contextTruncation: { truncationId: String(request), messagesRemoved, ...tokens },
  });
}

/** Replaces the first entries. Returns the estimated tokens before and after. */
export function replaceEntries(change: Change, event: EntriesReplaced) {
  const { contextTokens } = change.context;
  const removed = estimateEntries(stubbedConversation(change.context), 0, event.count);
  change.changeConversation(event);
  assertSendable(change.context);
  const newContextTokens = Math.max(0, contextTokens - removed) + tokensOf(event);
  change.set({ contextTokens: newContextTokens });
  return { prevContextTokens: contextTokens, newContextTokens };
}

const tokensOf = ({ by }: EntriesReplaced): number =>
  by.reduce((tokens, { content }) => tokens + estimateTokens(content), 0);
