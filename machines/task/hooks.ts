import { assertEvent } from "xstate";
import { hookText, textBlock, toolError } from "../conversation/index.ts";
import {
  type CallIn,
  type Hooked,
  type HookText,
  type HookVerdict,
  type Notice,
  type Outcome,
  toEnded,
  toHooked,
  toHooking,
  toRewritten,
  toSettled,
} from "../tool-call/index.ts";
import { hookActorId, settleWithText } from "./calls.ts";
import type { Change } from "./change.ts";
import { addEntry } from "./context-tokens.ts";
import { BrokenInvariantError } from "./errors.ts";
import { isHooked, unseenOutcome } from "./hook-points.ts";
import { startReview } from "./permissions.ts";
import { processBlocks } from "./stream.ts";
import type { TaskContext } from "./task.context.ts";
import { callAtCursor, callIn, callsIn, isIn, setCall } from "./turn.ts";

/** The id of the actor of a request's hooks. */
const REQUEST_HOOKS = "hook";

/** The call at the cursor, if hooks must decide about it now: nothing else runs. */
export function callToHook(context: TaskContext): CallIn<"decided" | "approved"> | undefined {
  const call = callAtCursor(context);
  if (call === undefined || !isIn(call, ["decided", "approved"]) || isHooked(context, call)) return undefined;
  return callsIn(context, "running", "ended").length === 0 ? call : undefined;
}

/** Starts the hooks before the call at the cursor. */
export function startCallHooks(change: Change): void {
  const call = callToHook(change.context);
  if (call === undefined) throw new BrokenInvariantError("no call waits for hooks");
  const { callId, name, input, amendment, review } = call;
  setCall(change, toHooking(call));
  change.start("hook", hookActorId(callId), {
    point: "beforeTool",
    callId,
    name,
    input,
    ...(amendment !== undefined && { amendment }),
    digest: review.digest,
    effect: review.effect,
    mode: change.context.mode,
  });
}

/** Applies what the hooks before a call decided about its arguments. */
export function applyCallHooks(change: Change): void {
  const { event } = change;
  assertEvent(event, "call.hooked");
  const call = callIn(change.context, event.callId, "hooking");
  if (call === undefined) return;
  change.stop("hook", hookActorId(call.callId));
  addTexts(change, event.texts, call.callId);
  applyVerdict(change, call, event.verdict);
  processBlocks(change);
}

function applyVerdict(change: Change, call: CallIn<"hooking">, verdict: HookVerdict): void {
  const { amendedBy } = call.hooked ?? {};
  const hooked = { digest: call.review.digest, ...(amendedBy !== undefined && { amendedBy }) };
  switch (verdict.kind) {
    case "allow":
      setCall(change, toHooked(call, hooked));
      break;
    case "ask":
      askFor(change, call, { ...hooked, asks: `the hook "${verdict.hook}" asks: ${verdict.reason}` });
      break;
    case "amend":
      if (call.amendment === undefined && amendedBy === undefined) rewrite(change, call, verdict);
      else deny(change, call, { ...verdict, reason: "the arguments were changed before." });
      break;
    case "deny":
      deny(change, call, verdict);
  }
}

/** A person who approved these very arguments is not asked again. */
function askFor(change: Change, call: CallIn<"hooking">, hooked: Hooked & { readonly asks: string }): void {
  const next = toHooked(call, hooked);
  if (next.phase === "approved") setCall(change, next);
  else
    setCall(change, { ...next, review: { ...next.review, verdict: { kind: "ask", because: hooked.asks } } });
}

/** Replaces the arguments. They pass the review and the hooks like those of the model, once. */
function rewrite(
  change: Change,
  call: CallIn<"hooking">,
  { hook, input }: Extract<HookVerdict, { kind: "amend" }>,
): void {
  const text = `The arguments of ${call.name} were replaced: ${JSON.stringify(input)}`;
  addTexts(change, [{ hook, text }], call.callId);
  startReview(change, toRewritten(call, input, hook));
}

function deny(
  change: Change,
  call: CallIn<"hooking" | "ended">,
  { hook, reason }: { readonly hook: string; readonly reason: string },
): void {
  const text = `${call.name}: denied by the hook "${hook}": ${reason}`;
  settleWithText(change, call, "denied", toolError(text), { say: "hook", text, denial: { hook } });
}

/** Adds texts for the model to the next request, and shows them. */
function addTexts(change: Change, texts: readonly HookText[], callId: string): void {
  if (texts.length === 0) return;
  for (const { hook, text } of texts)
    change.append({ type: "say", say: "hook", text: shown({ hook, text }), callId });
  change.set({ pending: [...change.context.pending, ...blocksOf(texts)] });
}

const blocksOf = (texts: readonly HookText[]) =>
  texts.map(({ hook, text }) => textBlock(hookText(hook, text)));
const shown = ({ hook, text }: HookText): string => `${hook}: ${text}`;

/** Whether hooks must see the result of a call before the model. */
function seesResult({ hooks }: TaskContext, { review }: CallIn<"running">, { kind }: Outcome): boolean {
  return (
    hooks.includes("afterTool") ||
    (hooks.includes("afterWrite") && review.effect === "writes" && kind === "done")
  );
}

/** Settles a call that has ended, when the hooks after it have seen its result. */
export function endCall(change: Change, call: CallIn<"running">, outcome: Outcome, notice?: Notice): void {
  if (!seesResult(change.context, call, outcome)) {
    setCall(change, toSettled(call, outcome, notice));
    return;
  }
  const { callId, name, input, amendment, review } = call;
  setCall(change, toEnded(call, outcome, unseenOutcome(name), notice));
  change.start("hook", hookActorId(callId), {
    point: "afterTool",
    callId,
    name,
    input,
    ...(amendment !== undefined && { amendment }),
    effect: review.effect,
    outcome,
    mode: change.context.mode,
  });
}

/** Settles an ended call. A hook that neither allows nor adds to its result withholds it from the model. */
export function applyResultHooks(change: Change): void {
  const { event } = change;
  assertEvent(event, "result.hooked");
  const call = callIn(change.context, event.callId, "ended");
  if (call === undefined) return;
  change.stop("hook", hookActorId(call.callId));
  addTexts(change, event.texts, call.callId);
  const { verdict } = event;
  if (verdict.kind === "allow") setCall(change, toSettled(call, call.outcome, call.notice));
  else deny(change, call, "reason" in verdict ? verdict : { ...verdict, reason: NOT_AMENDED });
  processBlocks(change);
}

const NOT_AMENDED = "a result can't be amended.";

/** Starts the hooks before a request, whose conversation is complete. */
export function startRequestHooks(change: Change): void {
  const { request, conversation, mode } = change.context;
  if (request === undefined) throw new BrokenInvariantError("no request is open");
  change.start("hook", REQUEST_HOOKS, { point: "beforeRequest", requestId: request, conversation, mode });
}

export function stopRequestHooks(change: Change): void {
  change.stop("hook", REQUEST_HOOKS);
}

/** Adds the texts of the hooks before a request to its conversation. */
export function applyRequestHooks(change: Change): void {
  const { event } = change;
  assertEvent(event, "request.hooked");
  if (event.texts.length === 0) return;
  for (const text of event.texts) change.append({ type: "say", say: "hook", text: shown(text) });
  addEntry(change, { role: "user", content: blocksOf(event.texts) });
}
