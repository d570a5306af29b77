import { textBlock, unseenResult } from "../conversation/index.ts";
import type { CallIdentity, CallIn, HookPoint, HookText, HookVerdict, Outcome } from "../tool-call/index.ts";
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

/** The result of a call whose end was recorded after it was stopped. It is withheld where hooks must see results. */
export const recordedOutcome = (
  { name }: CallIdentity,
  hooks: readonly HookPoint[],
  content: Outcome["content"],
): Outcome =>
  hooks.includes("afterTool") || hooks.includes("afterWrite")
    ? unseenOutcome(name)
    : { kind: "done", content };

/** The reason why hooks denied a request: each verdict but `allow` is a denial. */
export function requestDenial(verdict: HookVerdict): string {
  if (verdict.kind === "allow") throw new BrokenInvariantError("an allowed request was denied");
  const reason = verdict.kind === "amend" ? "a request can't be amended." : verdict.reason;
  return `The request was denied by the hook "${verdict.hook}": ${reason}`;
}

/** The terminal event of a hook actor, without its time. */
export type HookEnd = HookEvent extends infer E ? (E extends unknown ? Omit<E, "at"> : never) : never;

/** The terminal event of the hook actor with this input. */
export function hookEnd(
  input: ActorInputs["hook"],
  verdict: HookVerdict,
  texts: readonly HookText[] = [],
): HookEnd {
  const decided = { verdict, texts };
  if (input.point === "beforeRequest")
    return { type: "request.hooked", requestId: input.requestId, ...decided };
  const { callId } = input;
  return input.point === "beforeTool"
    ? { type: "call.hooked", callId, digest: input.digest, ...decided }
    : { type: "result.hooked", callId, ...decided };
}
