import { defaultsOf, type LimitTable, type LimitValues } from "./limit-table.ts";

/** The limits of a task, with their defaults. */
export const TASK_LIMIT_TABLE = {
  /** Consecutive errors of the model until the ask `mistake_limit_reached`; 0 disables it. */
  mistakes: { default: 3, unit: "count" },
  /** Times that a call, or a cycle of two or three, may come in a row before the next is refused; 0 disables it. */
  repetitions: { default: 3, unit: "count" },
  /** Consecutive failures of diffs on one file until the advice to write it whole; 0 disables it. */
  diffFailures: { default: 3, unit: "count" },
  /** Files whose failures of diffs are counted; one more drops the count of the oldest. */
  diffFiles: { default: 16, unit: "count" },
  /** Requests until the ask `auto_approval_max_req_reached`. */
  requests: { default: 500, unit: "count" },
  /** US dollars until the ask `auto_approval_max_req_reached`; an unknown cost reaches any limit but the default, none. */
  cost: { default: Number.MAX_VALUE, unit: "US dollars" },
  /** Consecutive retries of a failed request until the ask `api_req_failed`. */
  retries: { default: 5, unit: "count" },
  /** Delay of the first retry; each further one doubles it. */
  retryDelayMs: { default: 2_000, unit: "ms" },
  /** Longest delay between retries. */
  retryDelayMaxMs: { default: 60_000, unit: "ms" },
  /** Longest Retry-After that is waited for; a longer one leads to the ask `api_req_failed`. */
  retryAfterMaxMs: { default: 120_000, unit: "ms" },
  /** Shortest time between the starts of two requests; 0 disables it. */
  rateLimitMs: { default: 0, unit: "ms" },
  /** Consecutive continuations of a paused turn. */
  pauses: { default: 5, unit: "count" },
  /** Messages in the queue. */
  queued: { default: 100, unit: "count" },
  /** Wake-ups of a task at once; one more is refused. */
  wakeUps: { default: 8, unit: "count" },
  /** Shortest interval of a wake-up, and shortest time until the first one that a model schedules. */
  wakeUpMinMs: { default: 60_000, unit: "ms" },
  /** Characters of a wake-up's message. */
  wakeUpChars: { default: 4_000, unit: "characters" },
  /** Tool calls in one response; later ones are refused. */
  calls: { default: 64, unit: "count" },
  /** Read-only calls that run in parallel. */
  parallelReads: { default: 8, unit: "count" },
  /** Commands in the background; one more terminates the oldest, with a message. */
  background: { default: 8, unit: "count" },
  /** Longest wait at the end of a stream for the review of its first call. */
  finishingDeadlineMs: { default: 10_000, unit: "ms" },
  /** Share of the context window at which the conversation is condensed; above 1 it is not. */
  condenseAt: { default: 0.8, unit: "share" },
  /** Share of the context window that a condensed conversation keeps of the newest turns. */
  condenseKeeps: { default: 0.2, unit: "share" },
  /** Subtasks of a response that work at once. Others of the response wait for them. */
  parallelSubtasks: { default: 4, unit: "count" },
  /** Share of what is left of a task's budget that a subtask is granted. Several of a response get as much each. */
  subtaskShare: { default: 0.5, unit: "share of one" },
  /** Characters of a tool result that is sent as a stub once it is old (`read_artifact`); 0 disables it. */
  artifactChars: { default: 0, unit: "characters" },
  /** Newest responses whose tool results are sent whole. The results of the last one always are. */
  artifactTurns: { default: 3, unit: "count" },
} as const satisfies LimitTable;

/** Limits of the machine (L14). Reaching one is an ask or an error that names it. */
export type TaskLimits = LimitValues<typeof TASK_LIMIT_TABLE>;

/** The limits of a task without the option `limits`. */
export const DEFAULT_LIMITS: TaskLimits = defaultsOf(TASK_LIMIT_TABLE);

/** Whether the limit of cost is reached. An unknown cost may exceed any limit. */
export const costReached = (cost: number | null, { cost: limit }: TaskLimits): boolean =>
  cost === null ? limit < DEFAULT_LIMITS.cost : cost >= limit;
