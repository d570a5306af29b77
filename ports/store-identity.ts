/** The identity of a store of tasks. The wakes of its tasks record it, and it records them: others are noticed. */
export interface StoreIdentity {
  /** The id of the store, which no other has, and the id of its wakes if they are recorded. */
  read(): Promise<{ readonly id: string; readonly wakes?: string }>;
  /** Record the id of its wakes, unless others are recorded. Resolves with the recorded id. */
  claimWakes(id: string): Promise<string>;
}
