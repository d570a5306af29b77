import { entriesWithImages } from "../machines/conversation/index.ts";
import { type Block, selectedModel, type TaskContext } from "../machines/task/index.ts";
import type { Arguments, ToolCall } from "../machines/tool-call/index.ts";
import { textOf } from "./block-text.ts";
import type { Bound, Bounds, Spent } from "./bounds.ts";
import type { View } from "./laws/index.ts";
import type { Observations } from "./observations.ts";

/**
 * The abstract state of a view: two views with the same abstraction count as one state. Texts are reduced to
 * empty or not, counters are cut where they stop to matter; of the log the last message counts, of the conversation
 * the last entry, of an ended call what its turn still reads. Times, ids and bounds of "any" are left out.
 */
export function abstractionOf(
  { state, context, activeActors, recorded, observed }: View,
  spent: Spent,
  bounds: Bounds,
): string {
  const last = context.log.at(-1);
  return JSON.stringify([
    state,
    last === undefined ? 0 : [last.ask ?? last.say, last.partial ?? 0, last.closing ?? 0],
    context.ask === undefined
      ? 0
      : [context.ask.ask, context.ask.id === last?.ts, context.ask.callId === undefined],
    context.request === undefined ? 0 : 1,
    context.turn.cursor,
    context.turn.stopReason ?? 0,
    context.turn.checkpoint ?? 0,
    context.turn.notices?.length ?? 0,
    context.turn.blocks.map((block) => blockOf(block, context)),
    context.turn.calls.map((call) => callOf(call, isPassed(call, context))),
    context.queue.length,
    context.completion,
    context.pending.length > 0,
    context.background.length,
    countersOf(context),
    context.prepared === undefined ? 0 : 1,
    context.retryAt > 0,
    isPaced(context),
    bounds.repeats ? repetitionsOf(context) : 0,
    bounds.condenses ? windowOf(context) : 0,
    bounds.images ? entriesWithImages(context.conversation) > 0 : 0,
    budgetOf(context),
    bounds.permits ? permissionsOf(context) : 0,
    bounds.profiles ? profileOf(context) : 0,
    context.fallback,
    intentOf(context),
    context.policies ? policiesOf(context, observed) : 0,
    recorded.calls.map(({ phase }) => phase),
    lastEntryOf(context),
    counted(spent.interruptions, bounds.interruptions),
    counted(spent.queued, bounds.queued),
    counted(spent.requests, bounds.turns),
    counted(spent.crashes, bounds.crashes),
    [...activeActors].map((id) => id.split(":")[0]),
  ]);
}

/** Whether a request waits for the rate limit at the time of the next event. */
const isPaced = ({ requestedAt, limits, log }: TaskContext): boolean =>
  requestedAt > 0 && requestedAt + limits.rateLimitMs > (log.at(-1)?.ts ?? 0) + 1;

/** What the refusal of the next call depends on, and the advice after a failed diff. */
const repetitionsOf = ({ counters: { repeated, cycles }, failedDiffs }: TaskContext) => [
  repeated,
  cycles ?? 0,
  failedDiffs,
];

/** What a condensation depends on. */
const windowOf = (context: TaskContext) => [
  context.compaction?.state === "requested" ? context.compaction.by : (context.compaction?.state ?? 0),
  context.conversation.length > 3,
  context.contextTokens >=
    (selectedModel(context)?.contextWindow ?? Number.POSITIVE_INFINITY) * context.limits.condenseAt,
];

/** Which model the open and the next request go to, and what a switch of the mode selects. Names do not count. */
const profileOf = ({ profile, profiles, mode, requestModel, requestMode }: TaskContext) => [
  Object.hasOwn(profiles.byMode, mode),
  requestMode !== undefined && requestMode !== mode,
  profile !== null && profile.name !== null,
  profile !== null && profile.chosen !== null,
  requestModel !== undefined && requestModel.profile !== (profile?.name ?? null),
];

/** What the next calls depend on, and what the calls were found to be. */
const intentOf = ({ intent, turn }: TaskContext) =>
  intent === null
    ? 0
    : [
        intent.stage,
        turn.calls.map((call) =>
          "review" in call ? [call.review.selectsIntent !== undefined, call.review.intent?.kind ?? 0] : 0,
        ),
      ];

/** The facts that the judgement of the next start depends on, and who approved a call. */
const policiesOf = ({ turn }: TaskContext, { starts }: Observations) => [
  starts.person,
  starts.policy,
  turn.calls.map((call) => call.phase === "approved" && "person" in call.decision.by),
];

/** What requests and subtasks depend on: dollars are left or not. */
function budgetOf({ budget }: TaskContext) {
  if (budget === null || budget.state === "returned") return budget?.state ?? 0;
  const { cost = 1, ...left } = budget.left;
  return [budget.state, left, cost > 0];
}

/** What the verdict on a call depends on, and which calls are judged again before they start. */
const permissionsOf = ({ permissions: { mode, revision, held }, turn }: TaskContext) => [
  mode,
  held?.mode ?? 0,
  turn.calls.map((call) => "asked" in call),
  turn.calls.map((call) => "review" in call && call.review.revision !== revision),
  turn.calls.map((call) => call.phase === "deciding" && call.digest !== undefined),
];

/** What the next request depends on: the role, and whether a server tool may have no result. */
function lastEntryOf({ conversation }: TaskContext) {
  const last = conversation.at(-1);
  return [last?.role, last?.content.some(({ type }) => type === "opaque")];
}

function blockOf(block: Block, context: TaskContext) {
  if (block.kind === "call") return 0;
  if (block.kind === "opaque") return 1;
  return [
    block.kind,
    block.done,
    block.ts !== undefined,
    block.buffered.length > 0,
    textOf(block, context).length > 1,
  ];
}

const counted = (spent: number, bound: Bound): number => (bound === "any" ? 0 : spent);

function callOf(call: ToolCall, passed: boolean) {
  const shown = call.row !== undefined;
  switch (call.phase) {
    case "planned":
      return [call.ask, call.phase, shown, call.preview.length > 0];
    case "deciding":
      return [call.ask, call.phase, shown, call.preview.length > 0, ...amendedIn(call)];
    case "hooking":
      return [call.ask, call.phase, call.review.effect, call.approval !== undefined, ...amendedIn(call)];
    case "judging":
      return [
        call.ask,
        call.phase,
        call.review.effect,
        call.review.verdict.kind,
        call.approval === undefined ? 0 : "person" in call.approval.decision.by,
        ...amendedIn(call),
      ];
    case "decided":
    case "asking":
    case "amending":
    case "approved":
    case "running":
      return [call.ask, call.phase, shown, call.review.effect, call.review.verdict.kind, ...amendedIn(call)];
    case "ended":
      return [call.phase, isMistake(call.outcome.kind), call.notice !== undefined];
    case "stopped":
      return [call.phase, call.replayable];
    case "delegated":
      return [call.phase, call.end?.kind ?? 0];
    case "settled":
      return [
        call.phase,
        isMistake(call.outcome.kind),
        !passed && shown,
        !passed && call.notice !== undefined,
      ];
  }
}

/** Whether a person amended the call, and what hooks decided about its arguments. */
const amendedIn = ({ amendment, hooked }: Arguments) => [
  ...(amendment === undefined ? [] : ["amended"]),
  ...(hooked === undefined ? [] : [hooked.amendedBy !== undefined, hooked.asks !== undefined]),
];

/** Whether the cursor of the turn passed the call. */
const isPassed = ({ callId }: ToolCall, { turn }: TaskContext): boolean =>
  turn.blocks.slice(0, turn.cursor).some((block) => block.kind === "call" && block.callId === callId);

/** Outcomes after which a completion in the same turn is rejected. */
const isMistake = (kind: string): boolean => kind === "failed" || kind === "invalid";

/**
 * Counters of the abstraction: mistakes up to their limit; responses without a tool up to the first, since the second
 * is a mistake. A response with a call resets these and the pauses, so they are left out there. Requests count only
 * near their limit: otherwise every failed attempt would be a new state.
 */
function countersOf({ counters, limits, turn }: TaskContext) {
  const { mistakes, noToolUses, retries, pauses } = counters;
  const withoutTool = turn.calls.length > 0 ? [] : [Math.min(noToolUses, 1), pauses];
  const requests = limits.requests < 10 ? counters.requests : 0;
  return [Math.min(mistakes, limits.mistakes), retries, requests, ...withoutTool];
}

/** Names of the parts of {@link abstractionOf}, in order. */
const PARTS = [
  "state",
  "last message",
  "ask",
  "request",
  "cursor",
  "stop reason",
  "checkpoint",
  "notices",
  "blocks",
  "calls",
  "queue",
  "completion",
  "pending text",
  "background",
  "counters",
  "prepared",
  "retry",
  "rate limit",
  "repetitions",
  "context window",
  "images",
  "budget",
  "permissions",
  "profile",
  "fallback",
  "intent",
  "policies",
  "recorded calls",
  "last entry",
  "interruptions spent",
  "queue spent",
  "requests spent",
  "crashes spent",
  "actors",
] as const;

/** Names of the parts in which two abstractions differ. */
export function differsIn(one: string, other: string): readonly string[] {
  if (one === other) return [];
  const [a, b] = [one, other].map((text): readonly unknown[] => JSON.parse(text));
  return PARTS.filter((_, at) => JSON.stringify(a?.[at]) !== JSON.stringify(b?.[at]));
}
