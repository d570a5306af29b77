/** The task that the user changes to. */
export interface NextTask {
  /** Undefined: a new task. */
  readonly id: string | undefined;
  /** The messages that stay in its queue: the first ones. Default: all. */
  readonly queued?: number;
}
