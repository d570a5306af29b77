import type { Clock } from "../../ports/clock.ts";
import { callHook, type Hook, type HookInput } from "../../tools/hook.ts";
import { unlessAborted } from "../protocol/unless-aborted.ts";
import { type CheckedDecision, checkDecision, type HookLimits } from "./decision.ts";
import { noDecision } from "./failure.ts";

/** Time in which a hook must decide, in milliseconds. */
const TIMEOUT_MS = 60_000;

export interface HookRun {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly dataDir?: string | undefined;
  readonly limits?: HookLimits | undefined;
  /** Called with the work of a hook that was stopped: it may still run. */
  readonly onStopped?: ((work: Promise<unknown>) => void) | undefined;
}

/** Run one hook with its time limit. @throws ToolError `HOOK_INVALID`; what the hook threw; the reason of the signal */
export async function runHook(
  hook: Hook,
  input: HookInput,
  { clock, signal, dataDir, limits, onStopped }: HookRun,
): Promise<CheckedDecision> {
  const { timeoutMs = TIMEOUT_MS } = hook;
  const timeout = new AbortController();
  const either = AbortSignal.any([signal, timeout.signal]);
  const scope = { signal: either, ...(dataDir !== undefined && { dataDir }) };
  const cancel = clock.after(timeoutMs, () =>
    timeout.abort(noDecision(`expected a decision within ${timeoutMs} ms, received none.`)),
  );
  try {
    const returned: unknown = await unlessAborted(either, () => {
      const work = (async () => callHook(hook, input, scope))();
      either.addEventListener("abort", () => onStopped?.(work), { once: true });
      return work;
    });
    const decision = checkDecision(returned, limits);
    if (decision.kind === "replace" && input.point !== "afterTool")
      throw noDecision(`expected the decision replace at afterTool only, received it at ${input.point}.`);
    return decision;
  } finally {
    cancel();
  }
}
