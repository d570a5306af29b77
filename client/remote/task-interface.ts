import type { Observable } from "rxjs";
import type { AnswerResult } from "../../actors/ask/open-asks.ts";
import type { Answer } from "../../machines/message/asks.ts";
import type { AgentStateInfo } from "../../machines/message/detect.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { PermissionChange } from "../../runtime/task/permission-change.ts";
import type { RunOptions } from "../../runtime/task/run.ts";
import type {
  CompactResult,
  EditResult,
  ModeResult,
  PermissionsResult,
  QueueResult,
} from "../../runtime/task/task.ts";
import type { TaskEnd } from "../../runtime/task/task-end.ts";

/** The interface of a task in any process: `Task` implements it in this one, `RemoteTask` over the streams of another. */
export interface TaskInterface {
  /** The messages, oldest first. */
  readonly log: Iterable<ClineMessage> & { readonly length: number };
  /** The state that the messages mean. */
  readonly state: AgentStateInfo;
  /** The present state, then the state after each commit that changed the messages. */
  readonly state$: Observable<AgentStateInfo>;
  /** Each message when it is appended, and again after each change. */
  readonly messages$: Observable<ClineMessage>;
  /** The asks that can be answered now. */
  readonly asks: readonly Ask[];
  /** The ask that is open, then each as it opens. */
  readonly asks$: Observable<Ask>;
  run(prompt?: string, options?: RunOptions): Promise<TaskEnd>;
  /** Resolves when the task settles next. */
  settled(): Promise<TaskEnd>;
  queue(text: string, images?: readonly string[]): QueueResult | Promise<QueueResult>;
  /** Edit a queued message. Without `images` it keeps its images. */
  editQueued(id: string, text: string, images?: readonly string[]): EditResult | Promise<EditResult>;
  /** Switch the mode from the next request on. */
  switchMode(slug: string): ModeResult | Promise<ModeResult>;
  /** Change what is permitted, for the task and its open descendants. What is absent stays. */
  changePermissions(change: PermissionChange): PermissionsResult | Promise<PermissionsResult>;
  /** Condense the conversation with the next request. */
  compact(instructions?: string): CompactResult | Promise<CompactResult>;
  answer(askId: number, answer: Answer): AnswerResult;
  cancel(): void;
  close(): Promise<void>;
}
