export { callOfToolActor } from "./calls.ts";
export {
  applyEffectResult,
  applyEmitted,
  applyParts,
  type CommitParts,
  emittedBy,
  emptyParts,
  emptyRecordedState,
  FACT_NAMES,
  mergeParts,
  nonEmptyParts,
  partsOf,
} from "./commit.ts";
export { EFFECT_KINDS, type EffectKind } from "./effect-kinds.ts";
export { ActorNotProvidedError, BrokenInvariantError } from "./errors.ts";
export { type HookEnd, hookEnd, recordedContent } from "./hook-points.ts";
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
export { nextStep, type Step } from "./schedule.ts";
export { type Settlement, settleRecorded } from "./settlement.ts";
export { type FoundSubtask, type OutcomeFacts, subtaskOutcome, subtaskStep } from "./subtask-outcome.ts";
export type * from "./task.context.ts";
export type * from "./task.events.ts";
export { STOP_REASONS } from "./task.events.ts";
export { taskMachine } from "./task.machine.ts";
export {
  type ActorInputs,
  type AmendableCall,
  actorsOfKinds,
  type EdgeActors,
  type EdgeLogic,
  type ToolCommand,
} from "./task.setup.ts";
export type { TaskJudgeName } from "./verdict.ts";
