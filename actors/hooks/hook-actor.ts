import type { AnyEventObject, CallbackActorLogic } from "xstate";
import { hookEnd } from "../../machines/task/hook-points.ts";
import type { HookEvent } from "../../machines/task/task.events.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import type { Hook } from "../../tools/hook.ts";
import { hooksCall } from "../../tools/hook-list.ts";
import { controlEnd } from "../control/control-end.ts";
import type { Requires } from "../environment.ts";
import type { Edge } from "../protocol/edge.ts";
import { fromEvents } from "../protocol/from-events.ts";
import { unlessAborted } from "../protocol/unless-aborted.ts";
import { type ToolSources, taskRegistry } from "../toolset.ts";
import type { HookLimits } from "./decision.ts";
import { failureReason } from "./failure.ts";
import { hookInputs, newTexts, type PointInput } from "./hook-inputs.ts";
import { MergedDecisions } from "./merged.ts";
import { type HookRun, runHook } from "./run-hook.ts";

const NO_HOOKS: NonNullable<Requires<"hooks">["hooks"]> = { taskId: "", list: [] };

type Input = ActorInputs["hook"];

/**
 * Runs the hooks of one point one after the other, once the start is durable (L11): a hook may have effects. Then the protocol
 * that controls the task decides about what they allowed. Sends exactly one event with what they decided together. The first denial ends the run; a hook that fails denies. A hook starts only
 * after all stopped effects have ended. A stopped hook is awaited too.
 */
export function hookActor(
  edge: Edge,
  environment: Requires<ToolSources | "hooks" | "control" | "workspace" | "subtaskFiles" | "stopped">,
  limits?: HookLimits,
): CallbackActorLogic<AnyEventObject, Input> {
  const { hooks = NO_HOOKS, control, workspace, subtaskFiles, stopped } = environment;
  const task = { id: hooks.taskId, workspace, subtaskFiles, registry: taskRegistry(environment) };
  return fromEvents<AnyEventObject, HookEvent, Input>(edge, {
    source: async function* ({ input, signal }) {
      await unlessAborted(signal, () => stopped.quiesce());
      const onStopped = (work: Promise<unknown>): void => stopped.workStopped(work);
      const run = { clock: edge.clock, signal, dataDir: hooks.dataDir, limits, onStopped };
      const points = await hookInputs(task, input);
      const merged = await runHooks(hooks.list, points, run);
      const controlled = await controlEnd({ ...task, control, ...run }, input, points, merged.verdict);
      const texts = [...newTexts(input, merged.texts), ...controlled.texts];
      yield hookEnd(input, controlled.verdict, texts, controlled.control);
    },
    isTerminal: () => true,
    failed: (input, error) => hookEnd(input, denialOf(hooks.list, input, error)),
  });
}

/** A denial where no single hook failed. */
const denialOf = (hooks: readonly Hook[], { point }: Input, error: unknown) => ({
  kind: "deny" as const,
  hook: hooks.find((hook) => hook[point] !== undefined)?.name ?? point,
  reason: failureReason(error),
});

async function runHooks(
  hooks: readonly Hook[],
  points: readonly PointInput[],
  run: HookRun,
): Promise<MergedDecisions> {
  const merged = new MergedDecisions();
  for (const { hook, input } of hooksOf(hooks, points))
    if (!(await decides(hook, merged, () => runHook(hook, merged.seen(input), run)))) break;
  return merged;
}

/** The hooks that run, each with its own copy of the input. */
const hooksOf = (hooks: readonly Hook[], points: readonly PointInput[]) =>
  points.flatMap((point) =>
    hooks
      .filter((hook) => isHookOf(hook, point))
      .map((hook) => ({ hook, input: structuredClone(point.input) })),
  );

const isHookOf = (hook: Hook, { input, call }: PointInput): boolean =>
  hook[input.point] !== undefined && (call === undefined || hooksCall(hook, call));

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
