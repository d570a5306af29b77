export {
  type ChangedFiles,
  type ChangesSince,
  type CheckpointDiff,
  type Checkpoints,
  type CheckpointsOff,
  type CheckpointsOptions,
  openCheckpoints,
  type RestoredCheckpoint,
  type RestoreOptions,
  type SavedCheckpoint,
} from "./checkpoints.ts";
export type { SkippedFile } from "./commit.ts";
export type { CheckpointErrorCode, CheckpointFailure } from "./error.ts";
export { type CheckpointLimits, DEFAULT_CHECKPOINT_LIMITS } from "./limits.ts";
export { checkpointsFolder, NEVER_SAVED } from "./store.ts";
