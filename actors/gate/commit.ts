import type { ConversationEvent } from "../../machines/conversation/index.ts";
import type { LogEvent } from "../../machines/message/index.ts";
import type { EffectEvent, QueuedMessage, ReportEvent, TaskEvent } from "../../machines/task/index.ts";
import type { Decision } from "../../machines/tool-call/index.ts";

/** What one macrostep of a task decided. */
export interface Commit {
  readonly cause: TaskEvent;
  /** The machine's state before and after, as dotted paths. */
  readonly before: string;
  readonly after: string;
  readonly log: readonly LogEvent[];
  readonly conversation: readonly ConversationEvent[];
  readonly decisions: readonly Decision[];
  /** The queue as it stands, where it changed. */
  readonly queue?: readonly QueuedMessage[];
  readonly effects: readonly EffectEvent[];
  readonly reports: readonly ReportEvent[];
}
