/** Every bound of the machine, by name (L14). Reaching one is an ask, an error or a refusal that says which. */
export interface TaskLimits {
  /** Mistakes in a row until `mistake_limit_reached` is asked; 0 is never. */
  readonly mistakes: number;
  /** Identical calls in a row before the next is refused; 0 is never. */
  readonly repetitions: number;
  /** Requests until `auto_approval_max_req_reached` is asked. */
  readonly requests: number;
  /** US dollars until `auto_approval_max_req_reached` is asked. */
  readonly cost: number;
  /** Retries of a failed request, one after another, until `api_req_failed` is asked. */
  readonly retries: number;
  /** The first retry's delay; each further one doubles it. */
  readonly retryDelayMs: number;
  /** The longest delay between retries. */
  readonly retryDelayMaxMs: number;
  /** The longest Retry-After that is waited for; a longer one is asked about. */
  readonly retryAfterMaxMs: number;
  /** Times in a row that a paused turn is continued. */
  readonly pauses: number;
  /** Messages that may wait in the queue. */
  readonly queued: number;
  /** Tool calls in one answer; later ones are refused. */
  readonly calls: number;
  /** Read-only calls that run side by side. */
  readonly parallelReads: number;
  /** Commands that go on in the background; one more ends the oldest, and a row says so. */
  readonly background: number;
  /** How long the end of a stream waits for the review of its first call. */
  readonly finishingDeadlineMs: number;
}

export const DEFAULT_LIMITS: TaskLimits = {
  mistakes: 3,
  repetitions: 3,
  requests: 500,
  cost: Number.MAX_VALUE,
  retries: 5,
  retryDelayMs: 2_000,
  retryDelayMaxMs: 60_000,
  retryAfterMaxMs: 120_000,
  pauses: 5,
  queued: 100,
  calls: 64,
  parallelReads: 8,
  background: 8,
  finishingDeadlineMs: 10_000,
};
