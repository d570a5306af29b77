import { unseenResult } from "../../machines/conversation/notices.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Feedback, Outcome, ToolCall } from "../../machines/tool-call/call.ts";
import type { HookVerdict } from "../../machines/tool-call/hooks.ts";
import { isExpired } from "./asked-by.ts";
import { startedIds } from "./changes.ts";
import { hadSubtask } from "./delegated-calls.ts";
import { hasOnly } from "./feedback.ts";
import { firstViolation, isSame, type Law, type Step, type View } from "./law.ts";

const TOOL = "tool:";
const SUBTASK = "subtask:";

const callOf = ({ context }: View, callId: string): ToolCall | undefined =>
  context.turn.calls.find((call) => call.callId === callId);

/** Whether hooks must see the results of calls. */
export const seesResults = ({ hooks }: TaskContext): boolean =>
  hooks.includes("afterTool") || hooks.includes("afterWrite");

/** The arguments that hooks have allowed by the end of this macrostep, and those that a person must approve. */
interface Allowed {
  readonly digest: string;
  readonly asks: boolean;
}

const passed = ({ kind }: HookVerdict): boolean => kind === "allow" || kind === "ask";

/** The decision of hooks about the arguments that a call starts with: in this event, or before. */
function allowedFor({ before, event }: Step, callId: string): Allowed | undefined {
  if (event.type === "call.hooked" && event.callId === callId && passed(event.verdict))
    return { digest: event.digest, asks: event.verdict.kind === "ask" };
  const call = callOf(before, callId);
  const hooked = call !== undefined && "hooked" in call ? call.hooked : undefined;
  return hooked && { digest: hooked.digest, asks: hooked.asks !== undefined };
}

/** A call starts with arguments that hooks allowed, and after an ask with the approval of a person. */
function startsAreAllowed(step: Step): string | undefined {
  if (!step.before.context.hooks.includes("beforeTool")) return undefined;
  const ids = [...startedIds(step, "tool").map((id) => id.slice(TOOL.length))];
  for (const id of startedIds(step, "subtask")) {
    const callId = id.slice(SUBTASK.length);
    if (!hadSubtask(step, callId)) ids.push(callId);
  }
  for (const callId of ids) {
    const wrong = wrongStart(step, callId);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongStart(step: Step, callId: string): string | undefined {
  const allowed = allowedFor(step, callId);
  if (allowed === undefined) return `${callId} started before its hooks`;
  const call = callOf(step.after, callId);
  if (call?.phase !== "running") return undefined;
  if (call.review.digest !== allowed.digest) return `${callId} started with arguments that no hook saw`;
  const { by } = call.decision;
  return allowed.asks && !("person" in by) && !isExpired(step.after.context, callId)
    ? `a hook asks for a person about ${callId}, and "${by.rule}" decided it`
    : undefined;
}

/** The verdict of hooks on a call is about the arguments that they were started with. */
function verdictsAreBound({ before, event, after }: Step): string | undefined {
  if (event.type !== "call.hooked") return undefined;
  const [was, is] = [callOf(before, event.callId), callOf(after, event.callId)];
  if (was?.phase !== "hooking" || was.review.digest !== event.digest)
    return was === is ? undefined : `${event.callId} was changed by hooks that saw other arguments`;
  return wrongPhase(event.verdict, was, is, before.context.controlled.includes("call"));
}

function wrongPhase(
  verdict: HookVerdict,
  was: Extract<ToolCall, { phase: "hooking" }>,
  is: ToolCall | undefined,
  /** A protocol may deny what hooks allowed. */
  isControlled: boolean,
): string | undefined {
  const isAmended = was.amendment !== undefined || was.hooked?.amendedBy !== undefined;
  const isDenied = is?.phase === "settled" && is.outcome.kind === "denied";
  switch (verdict.kind) {
    case "deny":
      return isDenied ? undefined : `${was.callId} was denied and is ${is?.phase}`;
    case "amend":
      if (isAmended) return isDenied ? undefined : `${was.callId} was amended twice and is ${is?.phase}`;
      return is?.phase === "deciding" && is.input === verdict.input && is.hooked?.amendedBy === verdict.hook
        ? undefined
        : `${was.callId} was amended and is not judged with the new arguments`;
    case "replace":
      return isDenied ? undefined : `the arguments of ${was.callId} were replaced by a result`;
    default:
      return isDenied && !isControlled ? `${was.callId} was allowed and is denied` : undefined;
  }
}

/** The events after which a call is settled, that ran and whose result hooks must see. */
const ENDS: ReadonlySet<TaskEvent["type"]> = new Set(["tool.finished", "tool.failed"]);

/** No result of a call reaches the model before its hooks: a call that ends waits for them. */
function resultsAreSeen(step: Step): string | undefined {
  const { before, event, after } = step;
  if (!before.context.hooks.includes("afterTool") || !("callId" in event)) return undefined;
  const [was, is] = [callOf(before, event.callId), callOf(after, event.callId)];
  if (ENDS.has(event.type) && was?.phase === "running" && is?.phase === "settled")
    return `the result of ${event.callId} was settled before its hooks`;
  if (event.type !== "result.hooked" || was?.phase !== "ended" || event.verdict.kind === "allow")
    return undefined;
  const isDenied = is?.phase === "settled" && is.outcome.kind === "denied";
  if (isDenied && before.context.controlled.includes("result")) return undefined;
  if (event.verdict.kind === "replace") return wrongReplacement(step, event.verdict, was, is);
  return isDenied ? undefined : `hooks withhold the result of ${event.callId}, and the model gets it`;
}

/**
 * A replaced result keeps how the call ended, and nothing has the original: no result, message or record. If all hooks
 * keep it, the outcome has it as `original`.
 */
function wrongReplacement(
  { after, emitted }: Step,
  { hooks, text, keepsOriginal }: Extract<HookVerdict, { kind: "replace" }>,
  was: Extract<ToolCall, { phase: "ended" }>,
  is: ToolCall | undefined,
): string | undefined {
  const { callId, outcome, notice } = was;
  if (is?.phase !== "settled" || is.outcome.kind !== outcome.kind)
    return `the result of ${callId} was replaced, and the call is not settled as it ended`;
  if (is.outcome.replacedBy?.join() !== hooks.join())
    return `nothing says which hooks replaced the result of ${callId}`;
  if (!is.outcome.content.some((block) => block.type === "text" && block.text === text))
    return `the model does not get what hooks made of the result of ${callId}`;
  if (!isSame(is.outcome.original, keepsOriginal ? outcome.content : undefined))
    return `the outcome of ${callId} has the original as ${JSON.stringify(is.outcome.original)}`;
  const recorded = after.recorded.calls.filter((call) => call.callId === callId);
  const kept = JSON.stringify([is, recorded, emitted], (key, value) =>
    key === "original" ? undefined : value,
  );
  const originals = outcome.content.map((block) => JSON.stringify(block));
  if (notice !== undefined) originals.push(JSON.stringify({ text: notice.text }).slice(1, -1));
  return originals.some((original) => kept.includes(original))
    ? `hooks replaced the result of ${callId}, and the original is kept`
    : undefined;
}

/** Whether a result is withheld: it has nothing of what the call returned. */
export const isUnseen = (
  call: { readonly name: string; readonly feedback?: Feedback },
  content: Outcome["content"] | readonly { readonly type: string }[],
): boolean => hasOnly(call, content, unseenResult(call.name));

/** An ended call whose hooks are interrupted has no result for the model, also after a crash. */
function unfinishedIsWithheld({ before, after, event, reopened }: Step): string | undefined {
  if (reopened !== undefined || event.type === "result.hooked") return undefined;
  for (const was of before.context.turn.calls) {
    if (was.phase !== "ended") continue;
    const is = callOf(after, was.callId);
    if (is?.phase === "settled" && !isUnseen(was, is.outcome.content))
      return `the hooks after ${was.callId} did not finish, and its result is settled by ${event.type}`;
  }
  return undefined;
}

/** The record of an ended call must say that its result is withheld. */
function recordedIsWithheld({ after }: Step): string | undefined {
  for (const call of after.context.turn.calls) {
    if (call.phase !== "ended") continue;
    const recorded = after.recorded.calls.find(({ callId }) => callId === call.callId);
    if (recorded?.phase !== "ended" || !isUnseen({ name: call.name }, recorded.outcome.content))
      return `the journal has the result of ${call.callId}, which its hooks have not seen`;
  }
  return undefined;
}

/** Each request is sent after its hooks allowed it, and after nothing else. */
function requestsAreAllowed(step: Step): string | undefined {
  const { before, event } = step;
  if (!before.context.hooks.includes("beforeRequest")) return undefined;
  if (event.type === "request.hooked")
    return event.verdict.kind !== "allow" && startedIds(step, "llm").length > 0
      ? "a request was sent that hooks denied"
      : undefined;
  const isPrepared = before.state === "streaming.preparing";
  const sent = [...startedIds(step, "llm"), ...startedIds(step, "condense")];
  return isPrepared && sent.length > 0 ? "a request was sent before its hooks" : undefined;
}

/** HOOK: nothing that hooks must see goes on without them, and what they saw is what goes on. */
export const hooks: Law = {
  id: "HOOK",
  heldBy: "hooks",
  title: "no call, result or request passes its hooks unseen, and a decision is about what the hooks saw",
  violation: firstViolation(
    startsAreAllowed,
    verdictsAreBound,
    resultsAreSeen,
    unfinishedIsWithheld,
    recordedIsWithheld,
    requestsAreAllowed,
  ),
};
