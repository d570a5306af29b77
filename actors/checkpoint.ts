import type { CallbackActorLogic, EventObject } from "xstate";
import type { CheckpointEvent } from "../machines/task/task.events.ts";
import type { ActorInputs } from "../machines/task/task.setup.ts";
import type { CheckpointsPort } from "../ports/checkpoints.ts";
import { formatError } from "../tools/error.ts";
import type { Requires } from "./environment.ts";
import type { Edge } from "./protocol/edge.ts";
import { fromEvents } from "./protocol/from-events.ts";
import type { Untimed } from "./protocol/released.ts";

/** Consecutive timeouts after which a task stops saving checkpoints: each delays its turn. */
const TIMEOUTS_MAX = 2;

type CheckpointInput = ActorInputs["checkpoint"];
type Saved = Untimed<CheckpointEvent>;

/**
 * Saves the workspace before the first write of a turn. Sends exactly one `checkpoint.saved` or `checkpoint.skipped`.
 * A skip has a reason only if something prevented the save, and each reason is reported once per task. Stopping the
 * actor aborts the save. Without a port every save is skipped.
 */
export function checkpointActor(
  edge: Edge,
  { checkpoints }: Requires<"checkpoints">,
): CallbackActorLogic<EventObject, CheckpointInput> {
  const reported = new Set<string>();
  let opened: ReturnType<CheckpointsPort> | undefined;
  let timeouts = 0;
  const skip = (callId: string, why?: { readonly code: string; readonly reason: string }): Saved => {
    if (why === undefined || reported.has(why.code)) return { type: "checkpoint.skipped", callId };
    reported.add(why.code);
    return { type: "checkpoint.skipped", callId, reason: why.reason };
  };

  const save = async (callId: string, signal: AbortSignal): Promise<Saved> => {
    if (checkpoints === undefined || timeouts >= TIMEOUTS_MAX) return skip(callId);
    opened ??= checkpoints();
    const store = await opened;
    if ("off" in store) return skip(callId, { code: "off", reason: store.off });
    const saved = await store.save({ signal });
    timeouts = !saved.ok && saved.code === "time" ? timeouts + 1 : 0;
    if (!saved.ok) return skip(callId, timeouts >= TIMEOUTS_MAX ? GIVEN_UP : noCheckpoint(saved));
    if (!saved.changed) return skip(callId);
    const { hash, from } = saved;
    return { type: "checkpoint.saved", callId, hash, ...(from !== undefined && { from }) };
  };

  return fromEvents<EventObject, CheckpointEvent, CheckpointInput>(edge, {
    source: async function* ({ input, signal }) {
      yield await save(input.callId, signal);
    },
    isTerminal: () => true,
    failed: ({ callId }, error) => skip(callId, noCheckpoint({ code: "failed", reason: formatError(error) })),
  });
}

const noCheckpoint = ({ code, reason }: { readonly code: string; readonly reason: string }) => ({
  code,
  reason: `No checkpoint of this turn: ${reason}`,
});

const GIVEN_UP = {
  code: "given up",
  reason: `Checkpoints of this task are off: ${TIMEOUTS_MAX} in a row timed out. Exclude large files with .gitignore, or raise timeoutMs.`,
};
