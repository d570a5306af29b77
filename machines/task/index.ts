export { callOfToolActor } from "./calls.ts";
export {
  applyEffectResult,
  applyEmitted,
  applyParts,
  type CommitParts,
  emptyParts,
  emptyRecordedState,
  mergeParts,
  nonEmptyParts,
  partsOf,
} from "./commit.ts";
export { ActorNotProvidedError, BrokenInvariantError } from "./errors.ts";
export { type HookEnd, hookEnd } from "./hook-points.ts";
export { closeInterruptedLog } from "./interruption.ts";
export { DEFAULT_LIMITS, type TaskLimits } from "./limits.ts";
export { DEFAULT_MODE, MODE_SLUG } from "./mode.ts";
export {
  fromPassive,
  isPassivatable,
  type PassiveTask,
  type RecordedLists,
  toPassive,
} from "./passivation.ts";
export { DEFAULT_PROFILE, hasProfile, profileNames, selectedModel, selectedProfile } from "./profile.ts";
export { addCost, addUsage, NO_USAGE } from "./request.ts";
export type * from "./task.context.ts";
export type * from "./task.events.ts";
export { STOP_REASONS } from "./task.events.ts";
export { taskMachine } from "./task.machine.ts";
export type { ActorInputs, AmendableCall, EdgeLogic, ToolCommand } from "./task.setup.ts";
