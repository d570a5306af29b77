import { textBlock } from "../conversation/blocks.ts";
import { unseenResult } from "../conversation/notices.ts";
import type { CallIdentity, CallIn, Outcome } from "../tool-call/call.ts";
import type { Controlled } from "../tool-call/control.ts";
import type { HookPoint, HookText, HookVerdict } from "../tool-call/hooks.ts";
import { BrokenInvariantError } from "./errors.ts";
import type { TaskContext } from "./task.context.ts";
import type { HookEvent } from "./task.events.ts";
import type { ActorInputs } from "./task.setup.ts";

export const NO_HOOKS: readonly HookPoint[] = [];

/** Whether no hooks must decide about the final arguments of the call any more. */
export const isHooked = (
  { hooks }: TaskContext,
  { hooked, review }: CallIn<"decided" | "approved">,
): boolean => !hooks.includes("beforeTool") || hooked?.digest === review.digest;

/** Whether hooks run before or after a call. Then calls run one after the other. */
export const hasCallHooks = ({ hooks }: TaskContext): boolean =>
  hooks.some((point) => point !== "beforeRequest");

/** The result of a call that hooks have not seen. */
export const unseenOutcome = (name: string): Outcome => ({
  kind: "failed",
  content: [textBlock(unseenResult(name))],
});

const seeResults = (hooks: readonly HookPoint[]): boolean =>
  hooks.includes("afterTool") || hooks.includes("afterWrite");

/** The result of a call whose end was recorded after it was stopped. It is withheld where hooks must see results. */
export const recordedOutcome = (
  { name }: Pick<CallIdentity, "name">,
  hooks: readonly HookPoint[],
  content: Outcome["content"],
): Outcome => (seeResults(hooks) ? unseenOutcome(name) : { kind: "done", content });

/** The part of a stopped call's end that a journal may have. */
export const recordedContent = (
  { hooks, turn }: TaskContext,
  callId: string,
  content: Outcome["content"],
): Outcome["content"] => {
  const { name } = turn.calls.find((call) => call.callId === callId) ?? { name: "a tool" };
  return seeResults(hooks) ? unseenOutcome(name).content : content;
};

/** The reason why hooks denied a request: each verdict but `allow` is a denial. */
export function requestDenial(verdict: HookVerdict): string {
  if (verdict.kind === "allow") throw new BrokenInvariantError("an allowed request was denied");
  const { hook, reason } = unfit(verdict, "a request");
  return `The request was denied by the hook "${hook}": ${reason}`;
}

/** A denial: the reason of a verdict that has one. Any other does not fit what the hooks decided about. */
export function unfit(
  verdict: Exclude<HookVerdict, { kind: "allow" }>,
  about: string,
): { readonly hook: string; readonly reason: string } {
  switch (verdict.kind) {
    case "amend":
      return { hook: verdict.hook, reason: `${about} can't be amended.` };
    case "replace":
      return { hook: verdict.hooks.join(", "), reason: `${about} can't be replaced by a result.` };
    default:
      return verdict;
  }
}

/** The terminal event of a hook actor, without its time. */
export type HookEnd = HookEvent extends infer E ? (E extends unknown ? Omit<E, "at"> : never) : never;

/** The terminal event of the hook actor with this input. */
export function hookEnd(
  input: ActorInputs["hook"],
  verdict: HookVerdict,
  texts: readonly HookText[] = [],
  control?: Controlled,
): HookEnd {
  if (input.point === "beforeRequest")
    return { type: "request.hooked", requestId: input.requestId, verdict, texts };
  const decided = { verdict, texts, ...(control !== undefined && { control }) };
  const { callId } = input;
  return input.point === "beforeTool"
    ? { type: "call.hooked", callId, digest: input.digest, ...decided }
    : { type: "result.hooked", callId, ...decided };
}
