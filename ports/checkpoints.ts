/** The part of the `checkpoints` adapter that a task uses. */
export interface CheckpointStore {
  save(options: {
    readonly signal: AbortSignal;
  }): Promise<
    | { readonly ok: true; readonly changed: boolean; readonly hash: string; readonly from?: string }
    | { readonly ok: false; readonly code: string; readonly reason: string }
  >;
}

/** Open the checkpoints of the task's workspace, or return the reason why they are off. Called once, at the first save. */
export type CheckpointsPort = () => Promise<CheckpointStore | { readonly off: string }>;
