import type { CallbackActorLogic, EventObject } from "xstate";
import type { ActorInputs, CheckpointEvent } from "../machines/task/index.ts";
import { sayError } from "../tools/index.ts";
import { type Edge, fromEvents, type Untimed } from "./protocol/index.ts";

/** What the actor needs of a store of checkpoints: the `checkpoints` adapter has it. */
export interface CheckpointStore {
  save(options: {
    readonly signal: AbortSignal;
  }): Promise<
    | { readonly ok: true; readonly changed: boolean; readonly hash: string; readonly from?: string }
    | { readonly ok: false; readonly code: string; readonly reason: string }
  >;
}

/** Opens the checkpoints of the task's workspace, or gives the reason why they are off. Called once, at the first save. */
export type CheckpointsPort = () => Promise<CheckpointStore | { readonly off: string }>;

/** After so many time-outs in a row a task has no further checkpoints: each would cost its turn the same wait. */
const TIMEOUTS_MAX = 2;

type CheckpointInput = ActorInputs["checkpoint"];
type Saved = Untimed<CheckpointEvent>;

/**
 * The actor that saves the workspace before the first write of a turn. It sends exactly one `checkpoint.saved`, or
 * one `checkpoint.skipped`: without a reason where nothing has changed, and where the reason was told before. A
 * task is told each reason once, not with each turn. A stop ends what runs. Without a port nothing is saved or told.
 */
export function checkpointActor(
  edge: Edge,
  checkpoints?: CheckpointsPort,
): CallbackActorLogic<EventObject, CheckpointInput> {
  const told = new Set<string>();
  let opened: ReturnType<CheckpointsPort> | undefined;
  let timeouts = 0;
  const skip = (callId: string, why?: { readonly code: string; readonly reason: string }): Saved => {
    if (why === undefined || told.has(why.code)) return { type: "checkpoint.skipped", callId };
    told.add(why.code);
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
    failed: ({ callId }, error) => skip(callId, noCheckpoint({ code: "failed", reason: sayError(error) })),
  });
}

const noCheckpoint = ({ code, reason }: { readonly code: string; readonly reason: string }) => ({
  code,
  reason: `No checkpoint of this turn: ${reason}`,
});

const GIVEN_UP = {
  code: "given up",
  reason: `Checkpoints of this task are off: ${TIMEOUTS_MAX} in a row took too long. Let .gitignore leave out what needs no checkpoint, or raise timeoutMs.`,
};
