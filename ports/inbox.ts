/** A command for a task, from a process that does not own the task. */
export interface InboxItem {
  readonly taskId: string;
  /** Its place among the commands of the task: 1, 2, 3 and so on, never used again. */
  readonly position: number;
  /** The command, as JSON (`wire/inbox.ts`). */
  readonly command: unknown;
}

export interface InboxListener {
  onAdded(taskId: string): void;
  onTaken?(taskId: string): void;
  onGap(): void;
}

/** The reason why a task can't be created. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** The outcome of a command that was taken. */
export interface CommandOutcome {
  /** The code of its refusal. Absent: it was applied. */
  readonly refused?: string;
  /** The reason, of a command that was refused without a task. */
  readonly message?: string;
}

/** Durable commands for tasks, in the order of each task. The owner of a task takes each of them once. */
export interface Inbox {
  /**
   * Add a command and return its place. `id`: chosen by the sender; the same one again adds nothing and returns the same
   * place, so that a sender without an answer can repeat it. `pool`: of a command that starts a task, the pool of the task. The
   * first start of a task decides.
   */
  put(taskId: string, id: string, command: unknown, pool?: string): Promise<number>;
  /** The commands after a place, in order. */
  after(taskId: string, position: number): Promise<readonly InboxItem[]>;
  /** Remove the commands up to a place: the journal records that they were taken. */
  remove(taskId: string, upTo: number): Promise<void>;
  /** Refuse the first command of a task that can't be created: no journal records it. */
  refuse(taskId: string, position: number, refusal: Refusal): Promise<void>;
  /** The outcome of the command at a place; undefined until it is removed. */
  outcome(taskId: string, position: number): Promise<CommandOutcome | undefined>;
  /**
   * Listen for commands that are added and removed, by any process. A notification can be lost: read {@link after} when you
   * own a task, and after each reconnection, which calls `onGap`.
   */
  watch(listener: InboxListener): () => void;
}
