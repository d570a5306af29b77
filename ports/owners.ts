/** Where the process that owns a task takes requests for it. */
export interface OwnerAddress {
  /** `http://HOST:PORT`. */
  readonly url: string;
  readonly token: string;
}

/** The processes that own tasks, for each other. */
export interface TaskOwners {
  /** The address of the process that owns a task; undefined if none does, or it takes no requests. */
  ownerOf(taskId: string): Promise<OwnerAddress | undefined>;
  /** The addresses of all processes that take requests. */
  all(): Promise<readonly OwnerAddress[]>;
  /** Where this process takes requests for the tasks that it owns from now on. */
  serveAt(address: OwnerAddress): void;
  /** Tell other processes that a task is open here. */
  announce(taskId: string): Promise<void>;
  /** Listen for tasks that a process has opened. An announcement can be lost before `onGap`. */
  watch(listener: { onOpened(taskId: string): void; onGap(): void }): () => void;
}
