import type { ConversationEvent } from "../../machines/conversation/index.ts";
import type { LogEvent } from "../../machines/message/index.ts";
import type { EffectEvent, Facts, QueuedMessage, ReportEvent, TaskEvent } from "../../machines/task/index.ts";
import type { Decision, RecordedCall } from "../../machines/tool-call/index.ts";

/** What one macrostep of a task decided. */
export interface Commit {
  /** The event that brought it about; absent for what an actor decided as it started. */
  readonly cause: TaskEvent | undefined;
  /** The machine's state before and after, as dotted paths. */
  readonly before: string;
  readonly after: string;
  readonly log: readonly LogEvent[];
  readonly conversation: readonly ConversationEvent[];
  readonly decisions: readonly Decision[];
  /** The queue as it stands, where it changed. */
  readonly queue?: readonly QueuedMessage[];
  /** The turn before this commit's calls is done with. */
  readonly turnEnded: boolean;
  /** The calls that came to another phase, as they now are. */
  readonly calls: readonly RecordedCall[];
  /** What else changed that a recovery must know of. */
  readonly facts?: Partial<Facts>;
  readonly effects: readonly EffectEvent[];
  readonly reports: readonly ReportEvent[];
}

/** A commit as clients see it (L11). */
export interface ShownCommit<TSnapshot> {
  readonly commit: Commit;
  /** The record that holds it; of growth, which is not recorded, the newest record before it. */
  readonly seq: number;
  /**
   * False only while the journal can't be written: then one commit that sums up what is not on disk shows
   * the rest that the task was brought to.
   */
  readonly durable: boolean;
  /** The actor's snapshot at the end of the macrostep. */
  readonly snapshot: TSnapshot;
}
