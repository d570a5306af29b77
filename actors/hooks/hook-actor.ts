import type { AnyEventObject, CallbackActorLogic } from "xstate";
import { hookEnd } from "../../machines/task/hook-points.ts";
import type { HookEvent } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { Hook } from "../../tools/hook.ts";
import { hooksCall } from "../../tools/hook-list.ts";
import type { StoppedEffects } from "../calls/roles.ts";
import type { Edge } from "../protocol/edge.ts";
import { fromEvents } from "../protocol/from-events.ts";
import type { Untimed } from "../protocol/released.ts";
import { unlessAborted } from "../protocol/unless-aborted.ts";
import type { HookLimits } from "./decision.ts";
import { failureReason } from "./failure.ts";
import { type HookInputPorts, hookInputs, newTexts, type PointInput } from "./hook-inputs.ts";
import { MergedDecisions } from "./merged.ts";
import { runHook } from "./run-hook.ts";

export interface HookActorOptions extends HookInputPorts {
  /** They run in this order. */
  readonly hooks: readonly Hook[];
  readonly limits?: HookLimits | undefined;
  /** A hook starts when nothing that was stopped runs any more, and is awaited itself after it was stopped. */
  readonly stopped: StoppedEffects;
}

type Input = ActorInputs["hook"];

/**
 * Runs the hooks of one point one after the other, once the start is durable (L11): a hook may have effects. Sends exactly
 * one event with what they decided together. The first denial ends the run; a hook that fails denies.
 */
export function hookActor(edge: Edge, options: HookActorOptions): CallbackActorLogic<AnyEventObject, Input> {
  return fromEvents<AnyEventObject, HookEvent, Input>(edge, {
    source: async function* ({ input, signal }) {
      await unlessAborted(signal, () => options.stopped.quiesce());
      yield await runHooks(edge, options, input, signal);
    },
    isTerminal: () => true,
    failed: (input, error) => hookEnd(input, denialOf(options, input, error)),
  });
}

/** A denial where no single hook failed. */
const denialOf = ({ hooks }: HookActorOptions, { point }: Input, error: unknown) => ({
  kind: "deny" as const,
  hook: hooks.find(({ points }) => points.includes(point))?.name ?? point,
  reason: failureReason(error),
});

async function runHooks(
  { clock }: Pick<Edge, "clock">,
  options: HookActorOptions,
  given: Input,
  signal: AbortSignal,
): Promise<Untimed<HookEvent>> {
  const { limits, stopped } = options;
  const run = { clock, signal, limits, onStopped: (work: Promise<unknown>) => stopped.workStopped(work) };
  const merged = new MergedDecisions();
  for (const { hook, input } of await hooksOf(options, given))
    if (!(await decides(hook, merged, () => runHook(hook, merged.seen(input), run)))) break;
  return hookEnd(given, merged.verdict, newTexts(given, merged.texts));
}

/** The hooks that run, each with its own copy of the input. */
async function hooksOf(options: HookActorOptions, given: Input) {
  const points = await hookInputs(options, given);
  return points.flatMap((point) =>
    options.hooks
      .filter((hook) => isHookOf(hook, point))
      .map((hook) => ({ hook, input: structuredClone(point.input) })),
  );
}

const isHookOf = (hook: Hook, { input, call }: PointInput): boolean =>
  hook.points.includes(input.point) && (call === undefined || hooksCall(hook, call));

/** Add what a hook decides. Returns whether the next one runs. */
async function decides(
  hook: Hook,
  merged: MergedDecisions,
  run: () => ReturnType<typeof runHook>,
): Promise<boolean> {
  try {
    return merged.add(hook, await run());
  } catch (error) {
    return merged.deny(hook.name, failureReason(error));
  }
}
