export {
  type ChangedFiles,
  type CheckpointDiff,
  type Checkpoints,
  type CheckpointsOff,
  type CheckpointsOptions,
  openCheckpoints,
  type Restored,
  type RestoreOptions,
  type SavedCheckpoint,
} from "./checkpoints.ts";
export type { LeftOut } from "./left-out.ts";
export { type CheckpointLimits, DEFAULT_CHECKPOINT_LIMITS } from "./limits.ts";
export type { Refused, RefusedCode } from "./refused.ts";
export { checkpointsFolder, NEVER_SAVED } from "./store.ts";
