import type { AssistantBlock, ImageBlock, TextBlock } from "../machines/conversation/index.ts";
import type { Answer, ElicitationAnswer } from "../machines/message/index.ts";
import {
  type Failure,
  type OpenAsk,
  profileNames,
  type TaskContext,
  type TaskEvent,
} from "../machines/task/index.ts";
import type {
  CallAsk,
  CallIn,
  Effect,
  FileWrite,
  Grant,
  HookText,
  HookVerdict,
  Objection,
  PermissionMode,
  Phase,
  StartJudgement,
  SubtaskOutcome,
  ToolCall,
  ValidReview,
  Verdict,
} from "../machines/tool-call/index.ts";
import { textOf } from "./block-text.ts";
import { type Crash, mayHaveGrown } from "./crash.ts";
import { intentParts } from "./intent-findings.ts";
import type { View } from "./laws/index.ts";
import type { Approver } from "./observations.ts";

/** A maximum, or "any": unlimited, and not counted in the abstract state. */
export type Bound = number | "any";

/** Bounds of an exploration. */
export interface Bounds {
  /** Requests with a response; later ones only fail. */
  readonly turns: Bound;
  /** Tool calls per response. */
  readonly calls: number;
  /** Blocks per response, tool calls included. */
  readonly blocks: number;
  /** Queued messages. The task's limit `queued` limits those that wait at once. */
  readonly queued: Bound;
  /** Cancels and journal failures. */
  readonly interruptions: Bound;
  /** Whether responses may start with thinking. */
  readonly thinks: boolean;
  /** Whether a response may contain a block that is not interpreted: the use of a server tool, without its result. */
  readonly opaque: boolean;
  /** Whether the conversation is condensed: by the user, at the threshold and when the window is full. */
  readonly condenses: boolean;
  /** Whether a request may have an image, which the endpoint may refuse. */
  readonly images: boolean;
  /** Whether calls of one tool are the same call, and those that write patch one file. */
  readonly repeats: boolean;
  /** Whether the user changes what completes the task. */
  readonly selects: boolean;
  /** Whether what is permitted changes: by the user, with an answer, and by a call that switches the mode. */
  readonly permits: boolean;
  /** Whether the profile changes: by the user, and by a switch of the mode. */
  readonly profiles: boolean;
  /** Whether a person amends calls of the ask `tool` with their approval. */
  readonly amends: boolean;
  /** Whether a running call of the ask `use_mcp_server` asks a person for input. */
  readonly elicits: boolean;
  /** Whether the hooks of a task that has some decide in each way, and add texts. */
  readonly hooks: boolean;
  /** Available tools, by their names in {@link TOOLS}. */
  readonly tools: readonly string[];
  /** Crashes of the process at any settled state; the task is reopened. */
  readonly crashes: Bound;
}

const isWithin = (spent: number, bound: Bound): boolean => bound === "any" || spent < bound;

/** Counts of a path that are compared with its {@link Bounds}. */
export interface Spent {
  readonly interruptions: number;
  readonly queued: number;
  readonly requests: number;
  readonly crashes: number;
}

export const NOTHING_SPENT: Spent = { interruptions: 0, queued: 0, requests: 0, crashes: 0 };

interface ToolKind {
  readonly name: string;
  readonly ask: CallAsk;
  readonly effect: Effect;
}

/**
 * One tool of each kind. The review of a call decides its kind among those of one ask: before it, all are called
 * `tool`.
 */
export const TOOLS: readonly ToolKind[] = [
  { name: "read", ask: "tool", effect: "reads" },
  { name: "write", ask: "tool", effect: "writes" },
  { name: "command", ask: "command", effect: "executes" },
  { name: "question", ask: "followup", effect: "asks" },
  { name: "complete", ask: "completion_result", effect: "asks" },
  { name: "delegate", ask: "tool", effect: "delegates" },
  { name: "switch", ask: "tool", effect: "none" },
  { name: "select", ask: "tool", effect: "none" },
  { name: "mcp", ask: "use_mcp_server", effect: "executes" },
];

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0.01 };
const ATTACHED: readonly TextBlock[] = [{ type: "text", text: "the content of a" }];
const LATE: readonly AssistantBlock[] = [{ type: "text", text: "late" }];
const VERDICTS: readonly Verdict[] = [
  { kind: "allow", rule: "r" },
  { kind: "ask" },
  { kind: "deny", rule: "r", reason: "no" },
];
const ANSWERS: readonly Answer[] = [
  { kind: "yes" },
  { kind: "yes", text: "and more" },
  { kind: "no" },
  { kind: "no", text: "but why" },
  { kind: "text", text: "words" },
];
/** Of a response at the end of the context window. */
const FULL_USAGE = { ...USAGE, tokensIn: 900 };
const TOO_LONG: Failure = { code: "prompt_too_long", message: "too long", retryable: false };
const IMAGE_REFUSED: Failure = { code: "image_refused", message: "too wide", retryable: false };
const IMAGE: ImageBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } };
const FAILURES: readonly Failure[] = [
  { code: "overloaded_error", message: "busy", retryable: true },
  { code: "invalid_request_error", message: "bad", retryable: false },
];
const CHILD_ENDS: readonly SubtaskOutcome[] = [
  { kind: "finished", result: "it is done" },
  { kind: "cancelled" },
  { kind: "deleted" },
  { kind: "failed", message: "it broke" },
];
/** A subtask returns all of its grant, or nothing of it. */
const childEndsOf = (grant: Grant | undefined): readonly SubtaskOutcome[] =>
  grant === undefined ? CHILD_ENDS : [...CHILD_ENDS, { kind: "finished", result: "it is done", rest: grant }];
const LONG_AFTER_MS = 10_000_000;

/**
 * All events of the environment in this state. Late, foreign and invalid events are sent in every state: a user can
 * click late, and an event of a stopped actor may be in transit.
 */
export function eventsAt(view: View, spent: Spent, bounds: Bounds): readonly TaskEvent[] {
  const { context } = view;
  const at = (context.log.at(-1)?.ts ?? 0) + 1;
  return [
    ...userEvents(context, spent, bounds, at),
    ...askEvents(context, bounds, at),
    ...requestEvents(view, spent, bounds, at),
    ...callEvents(view, bounds, at),
    ...(bounds.hooks && context.hooks.length > 0 ? hookEvents(view, at) : []),
    ...checkpointEvents(view, at),
    ...subtaskEvents(context, at),
    ...timerEvents(view, at),
  ];
}

/**
 * All crashes in this state. They differ in what is recorded: streamed text, results of running calls, ends of
 * subtasks; and in whether the wait for the next request is over.
 */
export function crashesAt(view: View, spent: Spent, bounds: Bounds): readonly Crash[] {
  const { log, calls, facts } = view.recorded;
  const last = log.at(-1);
  if (!isWithin(spent.crashes, bounds.crashes) || last === undefined) return [];
  const at = last.ts + 1;
  const simplest: Crash = { type: "process.crashed", at, keepsGrowth: false, ends: [], childEnds: [] };
  const crashes = [simplest];
  if (mayHaveGrown(log) && last.text !== view.observed.appended?.text)
    crashes.push({ ...simplest, keepsGrowth: true });
  const started = calls.find(({ phase }) => phase === "running" || phase === "stopped")?.callId;
  if (started !== undefined) {
    const content = [{ type: "text", text: "it ended" }] as const;
    crashes.push({ ...simplest, ends: [{ callId: started, content }] });
    crashes.push({ ...simplest, ends: [{ callId: started, content: "uncertain" }] });
  }
  for (const call of calls)
    if (call.phase === "delegated")
      for (const end of childEndsOf(call.grant))
        crashes.push({ ...simplest, childEnds: [[call.callId, end]] });
  if ((facts.retryAt ?? 0) > 0 || (facts.requestedAt ?? 0) > 0)
    crashes.push({ ...simplest, at: at + LONG_AFTER_MS });
  return crashes;
}

function userEvents(context: TaskContext, spent: Spent, bounds: Bounds, at: number): TaskEvent[] {
  const events: TaskEvent[] = [{ type: "task.start", at, text: "go to @a", images: [] }];
  if (bounds.permits || bounds.profiles)
    events.push({ type: "mode.switched", at, mode: otherMode(context.mode) });
  if (bounds.permits) events.push(...permissionEvents(context, at));
  if (bounds.profiles) events.push(...profileEvents(context, at));
  if (bounds.selects) {
    const completion = context.completion === "tool" ? "end_turn" : "tool";
    events.push({ type: "completion.selected", at, completion });
  }
  if (bounds.condenses) events.push({ type: "compact.requested", at, instructions: "" });
  if (isWithin(spent.queued, bounds.queued)) {
    events.push({ type: "queue.added", at, item: { id: `q${spent.queued}`, text: "also", images: [] } });
  }
  const queued = context.queue[0];
  if (queued !== undefined) {
    events.push({ type: "queue.removed", at, id: queued.id });
    if (queued.text === "also") events.push({ type: "queue.edited", at, id: queued.id, text: "instead" });
  }
  if (isWithin(spent.interruptions, bounds.interruptions)) {
    const failed = { type: "journal.failed", at, message: "the disk is full" } as const;
    events.push({ type: "task.cancel", at }, failed);
    if (context.ask?.ask === "completion_result") events.push({ ...failed, unwritten: "completion" });
  }
  return events;
}

const MODES: readonly PermissionMode[] = ["ask", "plan", "bypass"];

function permissionEvents({ permissions }: TaskContext, at: number): TaskEvent[] {
  const others = MODES.filter((other) => other !== permissions.mode);
  return others.map((other) => ({ type: "permissions.changed", at, mode: other }));
}

/** All profiles, and one that does not exist. */
const profileEvents = ({ profiles }: TaskContext, at: number): TaskEvent[] =>
  [...profileNames(profiles), "gone"].map((name) => ({ type: "profile.selected", at, name }));

const otherMode = (mode: string): string => (mode === "code" ? "ask" : "code");

function askEvents(
  { ask, log, mode }: TaskContext,
  { permits, profiles, amends, elicits }: Bounds,
  at: number,
): TaskEvent[] {
  const last = log.at(-1);
  const foreign = (askId: number): TaskEvent => ({
    type: "ask.answered",
    at,
    askId,
    answer: { kind: "yes" },
  });
  // Asks other than the open one: an earlier one, or the partial last message.
  const stale = [foreign((ask?.id ?? 0) - 1), ...(last?.partial === true ? [foreign(last.ts)] : [])];
  if (ask === undefined) return stale;
  const answers = [
    ...ANSWERS,
    ...(permits ? [ANSWER_WITH_RULE] : []),
    ...(permits || profiles ? [answerWithMode(mode)] : []),
  ];
  const answered = answers.map((answer): TaskEvent => ({ type: "ask.answered", at, askId: ask.id, answer }));
  const expiry = { type: "ask.expired", at, askId: ask.id, rule: "deadline" } as const;
  const expired = (kind: "yes" | "no"): TaskEvent => ({ ...expiry, answer: { kind } });
  const expiredText: TaskEvent = { ...expiry, answer: { kind: "text", text: "words" } };
  const amended = amends && ask.ask === "tool" ? amendedAnswers(ask, permits, at) : [];
  const elicited = elicits && ask.ask === "followup" ? elicitedAnswers(ask, at) : [];
  return [...stale, ...answered, ...amended, ...elicited, expired("no"), expired("yes"), expiredText];
}

const ELICITED: readonly ElicitationAnswer[] = [
  { action: "accept", content: { name: "x" } },
  { action: "decline" },
  { action: "cancel" },
];

/** The answers to a request for input, to the open ask and to an earlier one, and that of a policy. */
function elicitedAnswers({ id }: OpenAsk, at: number): TaskEvent[] {
  const answer = { kind: "text", text: "words" } as const;
  const answered = [id, id - 1].flatMap((askId) =>
    ELICITED.map((elicited): TaskEvent => ({ type: "ask.answered", at, askId, answer, elicited })),
  );
  return [
    ...answered,
    { type: "ask.expired", at, askId: id, answer, elicited: { action: "decline" }, rule: "deadline" },
  ];
}

const AMENDMENT = { content: "edited" };

/** A yes with an amendment, to the open ask and to an earlier one. */
function amendedAnswers({ id, callId = "" }: OpenAsk, permits: boolean, at: number): TaskEvent[] {
  const answers: Answer[] = [
    { kind: "yes", amendment: AMENDMENT },
    { kind: "yes", text: "and more", amendment: AMENDMENT },
    ...(permits ? [{ kind: "yes", rule: "tool(write)", amendment: AMENDMENT } as const] : []),
  ];
  return [id, id - 1].flatMap((askId) =>
    answers.map(
      (answer): TaskEvent => ({ type: "ask.answered", at, askId, answer, digest: amendedDigest(callId) }),
    ),
  );
}

/** Digest of the amended arguments of a call. */
const amendedDigest = (callId: string): string => `${callId}, amended`;

const ANSWER_WITH_RULE: Answer = { kind: "yes", rule: "tool(write)" };
const answerWithMode = (mode: string): Answer => ({ kind: "text", text: "words", mode: otherMode(mode) });

function requestEvents(view: View, spent: Spent, bounds: Bounds, at: number): TaskEvent[] {
  const { request: requestId } = view.context;
  const late: TaskEvent[] = [
    { type: "task.opened", at },
    { type: "llm.finished", at, requestId: -1, stopReason: "end_turn", content: LATE, usage: USAGE },
    { type: "context.ready", at, requestId: -1, environment: "elsewhere", ends: [] },
  ];
  if (requestId === undefined) return late;
  if (view.state === "streaming.preparing") return [...late, ...contextEvents(view, bounds, at, requestId)];
  if (view.state === "streaming.condensing") return [...late, ...condenseEvents(view, bounds, at, requestId)];
  const mayRespond = bounds.turns === "any" || spent.requests <= bounds.turns;
  return [
    ...late,
    ...failureEvents(bounds, at, requestId),
    ...(mayRespond ? responseEvents(view, bounds, at, requestId) : []),
  ];
}

/** Long enough for a summary to be shorter. */
const LONG = "here ".repeat(200);

function contextEvents({ context }: View, bounds: Bounds, at: number, requestId: number): TaskEvent[] {
  const environment = bounds.condenses ? LONG : "here";
  const stopped = context.turn.calls.flatMap((call) => (call.phase === "stopped" ? [call.callId] : []));
  const ends = stopped.map((callId) => ({ callId, content: "uncertain" as const }));
  const ready = { type: "context.ready", at, requestId, environment, ends } as const;
  const attached = context.mentions.length > 0 ? [{ ...ready, attached: ATTACHED }] : [];
  const image = bounds.images && context.mentions.length > 0 ? [{ ...ready, attached: [IMAGE] }] : [];
  return [ready, ...attached, ...image, { type: "context.failed", at, requestId, message: "no context" }];
}

const failureEvents = (bounds: Bounds, at: number, requestId: number): TaskEvent[] =>
  [...FAILURES, ...(bounds.condenses ? [TOO_LONG] : []), ...imageFailures(bounds)].map((failure) => ({
    type: "llm.failed",
    at,
    requestId,
    failure,
    usage: USAGE,
    jitter: 0.5,
  }));

/** An endpoint may also refuse the images of a request that has none. */
const imageFailures = ({ images }: Bounds): readonly Failure[] => (images ? [IMAGE_REFUSED] : []);

/** Tokens that an endpoint counts: far fewer than the threshold of any case. */
const COUNTED = 10;

function condenseEvents({ context }: View, bounds: Bounds, at: number, requestId: number): TaskEvent[] {
  const { compaction, log } = context;
  const sent = { at, requestId, usage: USAGE };
  const isStarted = log.at(-1)?.say === "condense_context";
  // Nothing is counted for a full window. The user may ask for a condensation while the endpoint counts.
  const mayBeUnneeded = !isStarted && (compaction?.state !== "requested" || compaction.by === "user");
  return [
    { at, requestId: -1, type: "condense.unneeded", tokens: COUNTED },
    { at, requestId: -1, type: "condense.started" },
    { ...sent, type: "condense.finished", requestId: -1, summary: "late" },
    { at, requestId, type: "condense.started" },
    ...(mayBeUnneeded ? [{ at, requestId, type: "condense.unneeded" as const, tokens: COUNTED }] : []),
    { ...sent, type: "condense.finished", summary: "short" },
    { ...sent, type: "condense.finished", summary: "" },
    ...[...FAILURES, TOO_LONG, ...imageFailures(bounds)].map((failure) => ({
      ...sent,
      type: "condense.failed" as const,
      failure,
      jitter: 0.5,
    })),
  ];
}

function responseEvents({ context }: View, bounds: Bounds, at: number, requestId: number): TaskEvent[] {
  const { blocks, calls } = context.turn;
  const index = blocks.length;
  const last = blocks.at(-1);
  const events: TaskEvent[] = [
    { type: "llm.usage", at, requestId, usage: USAGE },
    ...finishedEvents(context, bounds, at, requestId),
    ...(bounds.thinks ? thinkingEvents(context, at, requestId) : []),
  ];
  if ((last?.kind === "text" || last?.kind === "thinking") && !last.done) {
    events.push({ type: `llm.${last.kind}.end`, at, requestId, index: index - 1 });
    if (textOf(last, context).length < 2)
      events.push({ type: `llm.${last.kind}.delta`, at, requestId, index: index - 1, text: "b" });
  }
  if (index < bounds.blocks && last?.kind !== "text")
    events.push({ type: "llm.text.delta", at, requestId, index, text: "a" });
  if (bounds.opaque && index < bounds.blocks && last?.kind !== "opaque")
    events.push({ type: "llm.opaque", at, requestId, index, text: "server_tool_use" });
  const planned = calls.find(({ phase }) => phase === "planned");
  if (planned !== undefined) events.push(...argumentEvents(planned, at, requestId));
  else if (index < bounds.blocks && calls.length < bounds.calls)
    events.push(...toolStarts(bounds, at, requestId, index));
  return events;
}

function thinkingEvents({ turn }: TaskContext, at: number, requestId: number): TaskEvent[] {
  const isFirst = turn.blocks.length === 0;
  return isFirst ? [{ type: "llm.thinking.delta", at, requestId, index: 0, text: "h" }] : [];
}

function toolStarts(bounds: Bounds, at: number, requestId: number, index: number): TaskEvent[] {
  const toolUseId = `t${index}`;
  const callId = `${requestId}/${toolUseId}`;
  return [...new Set(toolsOf(bounds).map(({ ask }) => ask))].map((ask) => {
    const [one, ...others] = toolsOf(bounds, ask);
    const name = one === undefined || others.length > 0 ? ask : one.name;
    return { type: "llm.tool.start", at, requestId, index, callId, toolUseId, name, ask };
  });
}

/** Available tools of one ask, or of all. */
const toolsOf = ({ tools }: Bounds, of?: CallAsk): readonly ToolKind[] =>
  TOOLS.filter(({ name, ask }) => tools.includes(name) && (of ?? ask) === ask);

function argumentEvents(call: ToolCall, at: number, requestId: number): TaskEvent[] {
  const { callId } = call;
  const events: TaskEvent[] = [
    { type: "llm.tool.end", at, requestId, callId, input: {} },
    { type: "llm.tool.broken", at, requestId, callId, error: "cut" },
  ];
  if (call.phase === "planned" && call.preview === "") {
    events.push({ type: "llm.tool.delta", at, requestId, callId, preview: "{}" });
  }
  return events;
}

/** End of a response with the current blocks. */
function finishedEvents(context: TaskContext, bounds: Bounds, at: number, requestId: number): TaskEvent[] {
  const { turn } = context;
  const content = turn.blocks.flatMap((block): AssistantBlock[] => {
    if (block.kind === "text") return [{ type: "text", text: textOf(block, context) }];
    if (block.kind === "thinking")
      return [{ type: "thinking", thinking: textOf(block, context), signature: "s" }];
    if (block.kind === "opaque")
      return [{ type: "opaque", block: { type: "server_tool_use", id: `s${context.request}` } }];
    const call = block.kind === "call" ? turn.calls.find(({ callId }) => callId === block.callId) : undefined;
    return call === undefined ? [] : [{ type: "tool_use", id: call.toolUseId, name: call.name, input: {} }];
  });
  const lastType = content.at(-1)?.type;
  if (lastType === undefined || lastType === "thinking") return [];
  const finish = { type: "llm.finished", at, requestId, content, usage: USAGE } as const;
  const stopReasons =
    turn.calls.length > 0 ? (["tool_use"] as const) : (["end_turn", "max_tokens", "pause_turn"] as const);
  const finished = stopReasons.map((stopReason): TaskEvent => ({ ...finish, stopReason }));
  if (!bounds.condenses) return finished;
  const exceeded = { ...finish, usage: FULL_USAGE, stopReason: "model_context_window_exceeded" } as const;
  return [
    ...finished,
    ...stopReasons.map((stopReason) => ({ ...finish, usage: FULL_USAGE, stopReason })),
    exceeded,
  ];
}

function callEvents(view: View, bounds: Bounds, at: number): TaskEvent[] {
  const { context } = view;
  const { turn, background } = context;
  const ofCalls = turn.calls.flatMap((call): TaskEvent[] => {
    if (call.phase === "deciding" || call.phase === "amending")
      return reviewEvents(call, context, bounds, at);
    if (call.phase === "judging") return judgementEvents(call, view, bounds, at);
    if (call.phase !== "running") return [];
    return [
      ...toolEvents(call.callId, at, call.review.effect),
      ...(bounds.elicits ? [requestOf(call.callId, at)] : []),
    ];
  });
  return [
    ...lateCallEvents(turn.calls, bounds, at),
    ...ofCalls,
    ...background.flatMap(({ callId }) => toolEvents(callId, at)),
  ];
}

const requestOf = (callId: string, at: number): TaskEvent => ({
  type: "tool.elicitation.requested",
  at,
  callId,
  elicitationId: "1",
  request: { mode: "url", from: "a server", message: "sign in", url: "https://example.com" },
});

/** The phases in which an actor of the call reviews or runs it. */
const ANSWERED: ReadonlySet<Phase> = new Set(["running", "deciding", "amending", "judging"]);

/** Events of an actor that was stopped or never started. */
function lateCallEvents(calls: readonly ToolCall[], { elicits }: Bounds, at: number): TaskEvent[] {
  const gone = calls.find(({ phase }) => !ANSWERED.has(phase))?.callId ?? "0/gone";
  return [
    { type: "tool.finished", at, callId: gone, content: [] },
    invalidReview(gone, at),
    ...(elicits ? [requestOf(gone, at)] : []),
  ];
}

const EDIT = { say: "user_feedback_diff", text: "-a\n+b" } as const;

/** The digest of a call's arguments. `sent`: that of what the model sent. */
function digestOf({ callId, amendment, hooked }: CallIn<"deciding" | "amending">, sent: string): string {
  if (amendment !== undefined) return amendedDigest(callId);
  return hooked?.amendedBy === undefined ? sent : `${callId}, rewritten`;
}

/** All possible reviews of a call. */
function reviewEvents(
  call: CallIn<"deciding" | "amending">,
  context: TaskContext,
  bounds: Bounds,
  at: number,
): TaskEvent[] {
  const { callId, ask, amendment } = call;
  const { mode, permissions } = context;
  const { revision } = permissions;
  const patched = bounds.repeats ? { patches: "a.txt" } : {};
  const kinds = toolsOf(bounds, ask).flatMap(({ name, effect }) =>
    intentParts(context, name, effect).map((intended) => ({ name, effect, intended })),
  );
  const valid = kinds.flatMap(({ name, effect, intended }) =>
    VERDICTS.map((verdict) => {
      const review: ValidReview = {
        valid: true,
        digest: digestOf(call, bounds.repeats ? name : callId),
        revision,
        ...(effect === "writes" && patched),
        effect,
        replayable: effect === "reads",
        text: name,
        ...(name === "switch" && { switchesTo: otherMode(mode) }),
        ...(name === "mcp" && { elicits: true }),
        ...intended,
        verdict,
        ...(amendment !== undefined && { edit: EDIT }),
      };
      return review;
    }),
  );
  // A review of an earlier revision. Without one, an approved call is not judged again.
  const mayBeStale = bounds.permits && (amendment === undefined || revision > 0);
  const stale = mayBeStale ? valid.map((review) => ({ ...review, revision: revision - 1 })) : [];
  return [
    ...[...valid, ...stale].map((review): TaskEvent => ({ type: "call.reviewed", at, callId, review })),
    invalidReview(callId, at, patched),
  ];
}

const objectionOf = (by: Approver): Objection => ({
  rule: `explored: one start by a ${by}`,
  reason: "there was one",
  because: "there was one",
});

/**
 * The judgements of a call that is about to start. The explored policies permit one start by a person and one by a rule;
 * their monitor knows what had happened when the review was started. One is about other arguments, one judges nothing.
 */
function judgementEvents(
  { callId, review }: CallIn<"judging">,
  { context, observed }: View,
  bounds: Bounds,
  at: number,
): TaskEvent[] {
  const { revision } = context.permissions;
  const { person, policy } = observed.judged?.starts ?? observed.starts;
  const start: StartJudgement = {
    facts: { effect: review.effect },
    ...(policy && { policy: objectionOf("policy") }),
    ...(person && { person: objectionOf("person") }),
  };
  const current = { ...review, revision };
  const judged: ValidReview = { ...current, start };
  const reviews = [
    judged,
    current,
    { ...judged, digest: "of other arguments" },
    ...(bounds.permits && revision > 0 ? [{ ...judged, revision: revision - 1 }] : []),
  ];
  return [
    ...reviews.map((each): TaskEvent => ({ type: "call.reviewed", at, callId, review: each })),
    invalidReview(callId, at),
  ];
}

const invalidReview = (callId: string, at: number, patched = {}): TaskEvent => ({
  type: "call.reviewed",
  at,
  callId,
  review: { valid: false, error: "does not fit", ...patched },
});

const WRITES: readonly FileWrite[] = [{ path: "a.txt", before: null, after: "a" }];

const toolEvents = (callId: string, at: number, effect?: Effect): TaskEvent[] => {
  const written = effect === "writes" ? { writes: WRITES } : {};
  return [
    { type: "tool.output", at, callId, text: "." },
    { type: "tool.progress", at, callId, status: { text: "half" } },
    ...(effect === "executes" ? [{ type: "tool.backgrounded", at, callId } as const] : []),
    {
      type: "tool.finished",
      at,
      callId,
      content: [{ type: "text", text: "ok" }],
      command: { output: ".", exitCode: 0 },
      ...written,
    },
    { type: "tool.failed", at, callId, error: "boom", ...written },
  ];
};

const ALLOWED: HookVerdict = { kind: "allow" };
const DENIED: HookVerdict = { kind: "deny", hook: "h", reason: "no" };
const REPLACED = { kind: "replace", hooks: ["h", "i"], text: "redacted" } satisfies HookVerdict;
const HOOK_VERDICTS: readonly HookVerdict[] = [
  ALLOWED,
  { kind: "amend", hook: "h", input: { content: "rewritten" } },
  { kind: "ask", hook: "h", reason: "a person must see it" },
  REPLACED,
  DENIED,
];
const TEXTS: readonly HookText[] = [{ hook: "h", text: "note" }];

/** Ends of hooks, and those of hooks that were stopped or saw other arguments. */
function hookEvents({ state, context }: View, at: number): TaskEvent[] {
  const { request, turn } = context;
  const [allowed, denied] = [
    { at, verdict: ALLOWED, texts: [] },
    { at, verdict: DENIED, texts: [] },
  ];
  const gone = turn.calls.find(({ phase }) => phase !== "hooking" && phase !== "ended")?.callId ?? "0/gone";
  const late: TaskEvent[] = [
    { ...allowed, type: "request.hooked", requestId: -1 },
    { ...allowed, type: "call.hooked", callId: gone, digest: gone },
    { ...allowed, type: "result.hooked", callId: gone },
  ];
  const ofRequest =
    state === "streaming.hooking" && request !== undefined
      ? [allowed, denied, { ...allowed, verdict: REPLACED }, { ...allowed, texts: TEXTS }].map(
          (end): TaskEvent => ({ ...end, type: "request.hooked", requestId: request }),
        )
      : [];
  return [...late, ...ofRequest, ...turn.calls.flatMap((call) => callHookEvents(call, at))];
}

function callHookEvents(call: ToolCall, at: number): TaskEvent[] {
  const { callId } = call;
  if (call.phase === "ended")
    return [
      { type: "result.hooked", at, callId, verdict: ALLOWED, texts: [] },
      { type: "result.hooked", at, callId, verdict: DENIED, texts: TEXTS },
      { type: "result.hooked", at, callId, verdict: REPLACED, texts: [] },
      { type: "result.hooked", at, callId, verdict: { ...REPLACED, keepsOriginal: true }, texts: [] },
    ];
  if (call.phase !== "hooking") return [];
  const end = { type: "call.hooked", at, callId, digest: call.review.digest } as const;
  return [
    { ...end, digest: "of other arguments", verdict: ALLOWED, texts: [] },
    { ...end, verdict: ALLOWED, texts: TEXTS },
    ...HOOK_VERDICTS.map((verdict): TaskEvent => ({ ...end, verdict, texts: [] })),
  ];
}

function checkpointEvents({ state, context }: View, at: number): TaskEvent[] {
  const late: TaskEvent = { type: "checkpoint.saved", at, callId: "0/gone", hash: "late" };
  if (state !== "running.checkpointing") {
    const foreign = context.turn.calls[0]?.callId;
    return foreign === undefined
      ? [late]
      : [{ type: "checkpoint.skipped", at, callId: foreign, reason: "late" }];
  }
  const [first, ...others] = context.turn.calls.filter(({ phase }) => phase === "approved");
  const settled = context.turn.calls.find(({ phase }) => phase === "settled");
  const stale = [...others, ...(settled === undefined ? [] : [settled])].map(
    ({ callId }): TaskEvent => ({ type: "checkpoint.saved", at, callId, hash: "foreign" }),
  );
  if (first === undefined) return [late, ...stale];
  const { callId } = first;
  return [
    late,
    ...stale,
    { type: "checkpoint.saved", at, callId, hash: "h" },
    { type: "checkpoint.saved", at, callId, hash: "h2", from: "h" },
    { type: "checkpoint.skipped", at, callId },
    { type: "checkpoint.skipped", at, callId, reason: "the workspace is too large" },
  ];
}

function subtaskEvents({ turn }: TaskContext, at: number): TaskEvent[] {
  const end = { kind: "finished", result: "late" } as const;
  const stale = turn.calls.find(({ phase }) => phase !== "delegated")?.callId ?? "0/gone";
  const message = "another process has it open";
  const late: TaskEvent[] = [
    { type: "subtask.ended", at, callId: stale, end },
    { type: "subtask.unavailable", at, callId: stale, message },
  ];
  const ends = turn.calls.flatMap((call): TaskEvent[] => {
    if (call.phase !== "delegated") return [];
    const { callId, grant } = call;
    return [
      ...childEndsOf(grant).map((ending): TaskEvent => ({ type: "subtask.ended", at, callId, end: ending })),
      { type: "subtask.unavailable", at, callId, message },
    ];
  });
  return [...late, ...ends];
}

function timerEvents({ state, context }: View, at: number): TaskEvent[] {
  const late: TaskEvent = { type: "timer.fired", at, timerId: "gone" };
  if (state === "running.retrying")
    return [late, { type: "timer.fired", at, timerId: `retry:${context.retryAt}` }];
  if (state === "running.pacing") {
    const { requestedAt, limits } = context;
    const due = Math.max(at, requestedAt + limits.rateLimitMs);
    return [late, { type: "timer.fired", at: due, timerId: `rate:${requestedAt}` }];
  }
  if (state === "idle.delivering")
    return [late, { type: "timer.fired", at, timerId: `queue:${context.ask?.id}` }];
  if (state === "streaming.finishing")
    return [late, { type: "timer.fired", at, timerId: `review:${context.request}` }];
  return [late];
}
