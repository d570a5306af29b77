/** Limits of the machine (L14). Reaching one is an ask or an error that names it. */
export interface TaskLimits {
  /** Consecutive errors of the model until the ask `mistake_limit_reached`; 0 disables it. */
  readonly mistakes: number;
  /** Times that a call, or a cycle of two or three, may come in a row before the next is refused; 0 disables it. */
  readonly repetitions: number;
  /** Consecutive failures of diffs on one file until the advice to write it whole; 0 disables it. */
  readonly diffFailures: number;
  /** Files whose failures of diffs are counted; one more drops the count of the oldest. */
  readonly diffFiles: number;
  /** Requests until the ask `auto_approval_max_req_reached`. */
  readonly requests: number;
  /** US dollars until the ask `auto_approval_max_req_reached`; an unknown cost reaches any limit but the default, none. */
  readonly cost: number;
  /** Consecutive retries of a failed request until the ask `api_req_failed`. */
  readonly retries: number;
  /** Delay of the first retry; each further one doubles it. */
  readonly retryDelayMs: number;
  /** Longest delay between retries. */
  readonly retryDelayMaxMs: number;
  /** Longest Retry-After that is waited for; a longer one leads to the ask `api_req_failed`. */
  readonly retryAfterMaxMs: number;
  /** Shortest time between the starts of two requests, in milliseconds; 0 disables it. */
  readonly rateLimitMs: number;
  /** Consecutive continuations of a paused turn. */
  readonly pauses: number;
  /** Messages in the queue. */
  readonly queued: number;
  /** Tool calls in one response; later ones are refused. */
  readonly calls: number;
  /** Read-only calls that run in parallel. */
  readonly parallelReads: number;
  /** Commands in the background; one more terminates the oldest, with a message. */
  readonly background: number;
  /** Longest wait at the end of a stream for the review of its first call. */
  readonly finishingDeadlineMs: number;
  /** Share of the context window at which the conversation is condensed; above 1 it is not. */
  readonly condenseAt: number;
  /** Share of the context window that a condensed conversation keeps of the newest turns. */
  readonly condenseKeeps: number;
  /** Share of what is left of a task's budget that a subtask is granted. */
  readonly subtaskShare: number;
  /** Characters of a tool result that is sent as a stub once it is old (`read_artifact`); 0 disables it. */
  readonly artifactChars: number;
  /** Newest responses whose tool results are sent whole. Those of the last one always are. */
  readonly artifactTurns: number;
}

export const DEFAULT_LIMITS: TaskLimits = {
  mistakes: 3,
  repetitions: 3,
  diffFailures: 3,
  diffFiles: 16,
  requests: 500,
  cost: Number.MAX_VALUE,
  retries: 5,
  retryDelayMs: 2_000,
  retryDelayMaxMs: 60_000,
  retryAfterMaxMs: 120_000,
  rateLimitMs: 0,
  pauses: 5,
  queued: 100,
  calls: 64,
  parallelReads: 8,
  background: 8,
  finishingDeadlineMs: 10_000,
  condenseAt: 0.8,
  condenseKeeps: 0.2,
  subtaskShare: 0.5,
  artifactChars: 0,
  artifactTurns: 3,
};

/** Whether the limit of cost is reached. An unknown cost may exceed any limit. */
export const costReached = (cost: number | null, { cost: limit }: TaskLimits): boolean =>
  cost === null ? limit < DEFAULT_LIMITS.cost : cost >= limit;
