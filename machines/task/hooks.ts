import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import { hookText, toolError } from "../conversation/notices.ts";
import type { CallIdentity, CallIn, Notice, Outcome } from "../tool-call/call.ts";
import type { HookText, HookVerdict } from "../tool-call/hooks.ts";
import { hookActorId, settleWithText } from "./calls.ts";
import type { Change } from "./change.ts";
import { addEntry } from "./context-tokens.ts";
import { applyControl, skipAfterShutDown, verdictUnder } from "./control.ts";
import { BrokenInvariantError } from "./errors.ts";
import { unfit, unseenOutcome } from "./hook-points.ts";
import { requestMode } from "./mode.ts";
import { startReview } from "./permissions.ts";
import { nextStep } from "./schedule.ts";
import type { TaskContext } from "./task.context.ts";
import type { CallControl } from "./task.setup.ts";
import { callIn, moveCall } from "./turn.ts";

/** The id of the actor of a request's hooks. */
const REQUEST_HOOKS = "hook";

/** Starts the hooks before the call at the cursor. */
export function startCallHooks(change: Change): void {
  const step = nextStep(change.context);
  if (step.kind !== "hook") throw new BrokenInvariantError("no call waits for hooks");
  const { call } = step;
  const { callId, name, input, amendment, review } = call;
  moveCall(change, call, { type: "hooks.started" });
  change.start("hook", hookActorId(callId), {
    point: "beforeTool",
    callId,
    name,
    input,
    ...(amendment !== undefined && { amendment }),
    digest: review.digest,
    effect: review.effect,
    mode: change.context.mode,
    ...controlInput(change.context, call),
  });
}

/** The part of an actor's input for the protocol that controls the task. */
const controlInput = (
  { control, conversation }: TaskContext,
  { author }: CallIdentity,
): { readonly control?: CallControl } => {
  if (control === null) return {};
  return { control: { state: control.state, author: author ?? "untrusted", conversation } };
};

/** Applies what the hooks before a call decided about its arguments. */
export function applyCallHooks(change: Change): void {
  const { event } = change;
  assertEvent(event, "call.hooked");
  const call = callIn(change.context, event.callId, "hooking");
  if (call === undefined) return;
  change.stop("hook", hookActorId(call.callId));
  addTexts(change, event.texts, call.callId);
  applyControl(change, event.control);
  const { callId, digest } = event;
  const subject = { point: "call", callId, digest } as const;
  applyVerdict(change, call, verdictUnder(change.context, subject, event.verdict, event.control));
  skipAfterShutDown(change);
}

const HOOK = 'the hook "';

/** Whether the reason of an ask is the decision of a hook. */
export const isHookAsk = (reason: string | undefined): boolean => reason?.startsWith(HOOK) === true;

function applyVerdict(change: Change, call: CallIn<"hooking">, verdict: HookVerdict): void {
  const { amendedBy } = call.hooked ?? {};
  const hooked = { digest: call.review.digest, ...(amendedBy !== undefined && { amendedBy }) };
  switch (verdict.kind) {
    case "allow":
      moveCall(change, call, { type: "hooks.passed", hooked });
      break;
    case "ask": {
      const asks = `${HOOK}${verdict.hook}" asks: ${verdict.reason}`;
      const audits = verdict.audits === true ? { audits: true as const } : {};
      moveCall(change, call, { type: "hooks.passed", hooked: { ...hooked, asks, ...audits } });
      break;
    }
    case "amend":
      if (call.amendment === undefined && amendedBy === undefined) rewrite(change, call, verdict);
      else deny(change, call, { ...verdict, reason: "the arguments were changed before." });
      break;
    case "replace":
      deny(change, call, unfit(verdict, "the arguments"));
      break;
    case "deny":
      deny(change, call, verdict);
  }
}

/** Replaces the arguments. They pass the review and the hooks like the model's, once. */
function rewrite(
  change: Change,
  call: CallIn<"hooking">,
  { hook, input, trusted }: Extract<HookVerdict, { kind: "amend" }>,
): void {
  const what = trusted === undefined ? `The arguments of ${call.name} were` : `The call of ${call.name} was`;
  const by = trusted === undefined ? "" : ` by a call of ${trusted.name}`;
  addTexts(change, [{ hook, text: `${what} replaced${by}: ${JSON.stringify(input)}` }], call.callId);
  startReview(change, moveCall(change, call, { type: "hooks.amended", input, amendedBy: hook, trusted }));
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

/** Settles a call that has ended, when the hooks after it have seen its result. The user's feedback goes with the result. */
export function endCall(change: Change, call: CallIn<"running">, outcome: Outcome, notice?: Notice): void {
  if (!seesResult(change.context, call, outcome)) {
    moveCall(change, call, { type: "settled", outcome, notice });
    return;
  }
  const { callId, name, input, amendment, review } = call;
  moveCall(change, call, { type: "ended", outcome, unseen: unseenOutcome(name), notice });
  change.start("hook", hookActorId(callId), {
    point: "afterTool",
    callId,
    name,
    input,
    ...(amendment !== undefined && { amendment }),
    effect: review.effect,
    outcome,
    mode: change.context.mode,
    ...controlInput(change.context, call),
  });
}

/** Settles an ended call. A hook that neither allows, replaces nor adds to its result withholds it from the model. */
export function applyResultHooks(change: Change): void {
  const { event } = change;
  assertEvent(event, "result.hooked");
  const call = callIn(change.context, event.callId, "ended");
  if (call === undefined) return;
  change.stop("hook", hookActorId(call.callId));
  addTexts(change, event.texts, call.callId);
  applyControl(change, event.control);
  const subject = { point: "result", callId: call.callId } as const;
  const verdict = verdictUnder(change.context, subject, event.verdict, event.control);
  const { outcome, notice } = call;
  if (verdict.kind === "allow") moveCall(change, call, { type: "settled", outcome, notice });
  else if (verdict.kind === "replace") replaceResult(change, call, verdict);
  else deny(change, call, unfit(verdict, "a result"));
  skipAfterShutDown(change);
}

/** Settles a call with the result that hooks made in place of its own. Its notice is made anew: it had the other one. */
function replaceResult(
  change: Change,
  call: CallIn<"ended">,
  { hooks, text, keepsOriginal }: Extract<HookVerdict, { kind: "replace" }>,
): void {
  const { kind, content: original } = call.outcome;
  const content = text.trim() === "" ? [] : [textBlock(text)];
  const outcome = { kind, content, replacedBy: hooks, ...(keepsOriginal && { original }) };
  const said = `${call.name}: the result was replaced by ${namesOf(hooks)}`;
  const notice = call.notice === undefined ? `${said}.` : `${said}:\n${text}`;
  moveCall(change, call, { type: "settled", outcome, notice: { say: "hook", text: notice } });
}

const namesOf = (hooks: readonly string[]): string =>
  `the hook${hooks.length === 1 ? "" : "s"} ${hooks.map((hook) => `"${hook}"`).join(", ")}`;

/** Starts the hooks before a request, whose conversation is complete. */
export function startRequestHooks(change: Change): void {
  const { request, conversation } = change.context;
  if (request === undefined) throw new BrokenInvariantError("no request is open");
  const mode = requestMode(change.context);
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
