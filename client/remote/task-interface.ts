import type { Observable } from "rxjs";
import type { AnswerResult } from "../../actors/index.ts";
import type { AgentStateInfo, Answer, ClineMessage } from "../../machines/message/index.ts";
import type { Ask, EditResult, ModeResult, QueueResult, TaskEnd } from "../../runtime/index.ts";

/** What of a task can be had wherever it runs: `Task` has it in process, `RemoteTask` over a process's streams. */
export interface TaskInterface {
  /** The rows, oldest first. */
  readonly log: Iterable<ClineMessage> & { readonly length: number };
  /** The state that the rows mean. */
  readonly state: AgentStateInfo;
  /** The present state, then the state after each commit that changed the rows. */
  readonly state$: Observable<AgentStateInfo>;
  /** Each row as it is appended, and again as it is after each change. */
  readonly messages$: Observable<ClineMessage>;
  /** The asks that can be answered now. */
  readonly asks: readonly Ask[];
  /** The ask that is open, then each as it opens. */
  readonly asks$: Observable<Ask>;
  run(prompt: string, images?: readonly string[]): Promise<TaskEnd>;
  /** Resolves when the task next comes to rest. */
  settled(): Promise<TaskEnd>;
  queue(text: string, images?: readonly string[]): QueueResult | Promise<QueueResult>;
  /** Changes words that wait in the queue. Without `images` they keep theirs. */
  editQueued(id: string, text: string, images?: readonly string[]): EditResult | Promise<EditResult>;
  /** Has the task work in another mode from its next request on. */
  switchMode(slug: string): ModeResult | Promise<ModeResult>;
  answer(askId: number, answer: Answer): AnswerResult;
  cancel(): void;
  close(): Promise<void>;
}
