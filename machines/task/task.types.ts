import type { AnyActorRef } from "xstate";
import type {
  AssistantBlock,
  Conversation,
  ConversationEvent,
  ImageBlock,
  TextBlock,
  UserBlock,
} from "../conversation/index.ts";
import type { Answer, AskType, Log, LogEvent } from "../message/index.ts";
import type {
  CallAsk,
  Decision,
  Input,
  RecordedCall,
  Review,
  SubtaskEnd,
  ToolCall,
} from "../tool-call/index.ts";
import type { TaskLimits } from "./limits.ts";

/** Every event says when it happened: milliseconds since 1970, stamped by the edge (L15). */
interface Timed {
  readonly at: number;
}

/** Words that wait for the agent: they answer no ask and approve nothing. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  readonly images: readonly string[];
}

/** Tokens of one request, as the endpoint counted them, and what they cost in US dollars. */
export interface Usage {
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheWrites: number;
  readonly cacheReads: number;
  readonly cost: number;
}

/** user -> machine */
export type UserEvent = Timed &
  (
    | { readonly type: "task.start"; readonly text: string; readonly images: readonly string[] }
    | { readonly type: "task.cancel" }
    /** The user chose another mode: the model is told with the next request. */
    | { readonly type: "mode.switched"; readonly mode: string }
    | { readonly type: "queue.added"; readonly item: QueuedMessage }
    /** Without images, those beside the words stay. */
    | {
        readonly type: "queue.edited";
        readonly id: string;
        readonly text: string;
        readonly images?: readonly string[];
      }
    | { readonly type: "queue.removed"; readonly id: string }
  );

/** opening actor -> machine: the journal has its header. */
export type OpeningEvent = Timed & { readonly type: "task.opened" };

/** ask actor -> machine: exactly one of these. */
export type AskEvent = Timed &
  (
    | { readonly type: "ask.answered"; readonly askId: number; readonly answer: Answer }
    | { readonly type: "ask.expired"; readonly askId: number; readonly answer: Answer; readonly rule: string }
  );

/** What a stopped call came to, or `uncertain` where nobody knows (L12). */
export interface EffectEnd {
  readonly callId: string;
  readonly content: readonly (TextBlock | ImageBlock)[] | "uncertain";
}

export interface ContextReady {
  readonly type: "context.ready";
  /** The `<environment_details>` block. */
  readonly environment: string;
  /** What the stopped calls came to. */
  readonly ends: readonly EffectEnd[];
}

/** context actor -> machine: exactly one of these. */
export type ContextEvent = Timed & { readonly requestId: number } & (
    | ContextReady
    | { readonly type: "context.failed"; readonly message: string }
  );

export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "stop_sequence" | "pause_turn";

/** Why a request failed. `retryable` and the delay come with the event, and so does the jitter (L15). */
export interface Failure {
  /** One of the endpoint's error types or ours: `overloaded_error`, `stream_cut`, `idle_timeout`, `refusal`, ... */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly status?: number;
  readonly retryAfterMs?: number;
}

/** llm actor -> machine: any number of progress events, then exactly one of finished | failed. */
export type LlmEvent = Timed & { readonly requestId: number } & (
    | { readonly type: "llm.text.delta"; readonly index: number; readonly text: string }
    | { readonly type: "llm.text.end"; readonly index: number }
    | { readonly type: "llm.thinking.delta"; readonly index: number; readonly text: string }
    | { readonly type: "llm.thinking.end"; readonly index: number }
    | {
        readonly type: "llm.tool.start";
        readonly index: number;
        readonly callId: string;
        readonly toolUseId: string;
        readonly name: string;
        readonly ask: CallAsk;
      }
    /** `preview`: the whole text of the partial row, at most 8 KB; sent when it has doubled. */
    | { readonly type: "llm.tool.delta"; readonly callId: string; readonly preview: string }
    /** The arguments came whole. Held until what follows shows that the block was not cut. */
    | { readonly type: "llm.tool.end"; readonly callId: string; readonly input: Input }
    /** The arguments are not whole (cut at the output limit) or not JSON: the call never runs (L7). */
    | { readonly type: "llm.tool.broken"; readonly callId: string; readonly error: string }
    | { readonly type: "llm.usage"; readonly usage: Usage }
    | {
        readonly type: "llm.finished";
        readonly stopReason: StopReason;
        /** The exact answer, thinking and signatures as they came. */
        readonly content: readonly AssistantBlock[];
        readonly usage: Usage;
      }
    | {
        readonly type: "llm.failed";
        readonly failure: Failure;
        readonly usage: Usage /** 0..1 */;
        readonly jitter: number;
      }
  );

/** review actor -> machine: exactly one. */
export type ReviewEvent = Timed & {
  readonly type: "call.reviewed";
  readonly callId: string;
  readonly review: Review;
};

/** tool actor -> machine: any number of outputs, then exactly one of finished | failed. */
export type ToolEvent = Timed & { readonly callId: string } & (
    | { readonly type: "tool.output"; readonly text: string }
    | {
        readonly type: "tool.finished";
        readonly content: readonly (TextBlock | ImageBlock)[];
        /** Of a command: what it wrote, bounded, and how it exited. */
        readonly command?: { readonly output: string; readonly exitCode?: number };
      }
    | {
        readonly type: "tool.failed";
        readonly error: string;
        readonly command?: { readonly output: string; readonly exitCode?: number };
      }
  );

/** timer actor -> machine */
export type TimerEvent = Timed & { readonly type: "timer.fired"; readonly timerId: string };

/** commit gate -> machine: the journal can't be written. */
/** checkpoint actor -> machine: exactly one of these. */
export type CheckpointEvent = Timed & { readonly callId: string } & (
    | { readonly type: "checkpoint.saved"; readonly hash: string; readonly from?: string }
    /** `reason` is told to the user; without one nothing is. */
    | { readonly type: "checkpoint.skipped"; readonly reason?: string }
  );

/** subtask actor -> machine: exactly one. */
export type SubtaskEvent = Timed & {
  readonly type: "subtask.ended";
  readonly callId: string;
  readonly end: SubtaskEnd;
};

/** What stands for the start of a task that was opened from its journal: nobody sends it. */
export type RecoveryEvent = Timed & { readonly type: "task.recovered" };

export type JournalEvent = Timed & { readonly type: "journal.failed"; readonly message: string };

export type TaskEvent =
  | UserEvent
  | OpeningEvent
  | AskEvent
  | ContextEvent
  | LlmEvent
  | ReviewEvent
  | ToolEvent
  | TimerEvent
  | CheckpointEvent
  | SubtaskEvent
  | RecoveryEvent
  | JournalEvent;

/** The ask that is open, or, once a completion was accepted or declined, the one that may still be replied to. */
export interface OpenAsk {
  /** The `ts` of its row. */
  readonly id: number;
  readonly ask: AskType;
  /** The call that it asks about. */
  readonly callId?: string;
}

/** A block of the answer that streams, or the place of a call in it. */
export type Block =
  | {
      readonly kind: "text" | "thinking";
      /** The text that its row has not yet. */
      readonly held: string;
      readonly done: boolean;
      /** The `ts` of its row, once it is shown. */
      readonly row?: number;
    }
  | { readonly kind: "call"; readonly callId: string };

/** One answer of the model and what becomes of its calls. `cursor`: the first block that isn't dealt with. */
export interface Turn {
  readonly blocks: readonly Block[];
  readonly cursor: number;
  readonly calls: readonly ToolCall[];
  /** Why the model stopped, once it has. */
  readonly stopReason?: StopReason;
  /** Of the workspace, before the turn's first effect. */
  readonly checkpoint?: "saving" | "done";
}

/** A command that goes on beside the agent. */
export interface BackgroundCommand {
  readonly callId: string;
  readonly command: string;
}

/** Running counts, each with a limit. */
export interface Counters {
  /** Mistakes in a row; compared with `limits.mistakes`. */
  readonly mistakes: number;
  /** Answers in a row that used no tool. */
  readonly noToolUses: number;
  /** Failed attempts in a row; compared with `limits.retries`. */
  readonly retries: number;
  /** Times in a row that the model asked for its turn to be continued; compared with `limits.pauses`. */
  readonly pauses: number;
  /** Requests since a person last allowed more; compared with `limits.requests`. */
  readonly requests: number;
  /** US dollars since a person last allowed more; compared with `limits.cost`. */
  readonly cost: number;
  /** The digest of the newest call and how often it came in a row; compared with `limits.repetitions`. */
  readonly repeated: { readonly digest: string; readonly times: number };
}

/**
 * What of a task's context outlives its process, beside the log, the conversation, the queue and the calls: each
 * change of one of these is a piece of the commit that makes it (L11).
 */
export interface Facts {
  /** What the user said since the last request, for the next one. */
  readonly pending: readonly UserBlock[];
  readonly background: readonly BackgroundCommand[];
  readonly counters: Counters;
  /** When the next attempt may begin; 0 where nothing is waited for. */
  readonly retryAt: number;
  /** Total usage of the task. */
  readonly total: Usage;
  /** The result of the newest completion. */
  readonly result: string | undefined;
  /** The slug of the mode that the task works in. */
  readonly mode: string;
  /** Subtasks that were begun. */
  readonly children: number;
}

export interface TaskContext extends Facts {
  readonly taskId: string;
  readonly limits: TaskLimits;
  readonly autoRetry: boolean;
  readonly log: Log;
  readonly conversation: Conversation;
  /** The `ts` of the open request's row. */
  readonly request: number | undefined;
  /** What the open request has used so far. */
  readonly usage: Usage;
  readonly ask: OpenAsk | undefined;
  readonly turn: Turn;
  readonly queue: readonly QueuedMessage[];
  /** While preparing: what the request will be built from, once it is known. */
  readonly prepared: Pick<ContextReady, "environment" | "ends"> | undefined;
  /** Whether the workspace is snapshotted before a turn's first effect. */
  readonly checkpoints: boolean;
  /** Of a task that was opened from its journal, until its start has settled what was interrupted. */
  readonly reopening: { readonly at: number; readonly wasCompleted: boolean } | undefined;
  /** The newest event that changed anything. */
  readonly cause: TaskEvent | undefined;
  /** Who invoked the machine and wants its {@link ReportEvent}s. */
  readonly reportTo: AnyActorRef | undefined;
}

/** What a task begins with. */
export interface TaskInput {
  readonly taskId: string;
  readonly limits?: Partial<TaskLimits>;
  /** Whether a failed request is tried again without asking. Default true. */
  readonly autoRetry?: boolean;
  /** Whether the workspace is snapshotted before a turn's first effect. Default false. */
  readonly checkpoints?: boolean;
  /** The slug of the mode that the task begins in. Default `code`. */
  readonly mode?: string;
  /** What its journal remembers, of a task that is opened again. */
  readonly past?: Past;
  readonly reportTo?: AnyActorRef;
}

/** What a journal remembers of a task. */
export interface Memory {
  readonly log: Log;
  readonly conversation: Conversation;
  readonly queue: readonly QueuedMessage[];
  readonly facts: Partial<Facts>;
  /** The calls of the turn that is not over. */
  readonly calls: readonly RecordedCall[];
}

/** What a task is opened with. */
export interface Past extends Memory {
  /** When it is opened: milliseconds since 1970. */
  readonly openedAt: number;
  /** How the subtasks ended that the task waits for, as their own journals tell; by the call (L16). */
  readonly childEnds?: ReadonlyMap<string, SubtaskEnd>;
}

/** Ends of a stretch of work, told to whoever invoked the machine (`reportTo`) and emitted. */
export type ReportEvent =
  | { readonly type: "task.rested"; readonly taskId: string; readonly ask: AskType }
  | {
      readonly type: "task.completed";
      readonly taskId: string;
      readonly result: string;
      readonly usage: Usage;
    };

export type QueueEvent = { readonly type: "queue.changed"; readonly queue: readonly QueuedMessage[] };
export type DecisionEvent = { readonly type: "decision.made"; readonly decision: Decision };
/** An edge actor was started or stopped by this macrostep. */
export type EffectEvent =
  | { readonly type: "effect.started"; readonly effect: EffectKind; readonly id: string }
  | { readonly type: "effect.stopped"; readonly effect: EffectKind; readonly id: string };
export type EffectKind =
  | "llm"
  | "tool"
  | "review"
  | "ask"
  | "timer"
  | "context"
  | "opening"
  | "checkpoint"
  | "subtask";

/** A call came to a phase that a recovery must know of. */
export type CallEvent = { readonly type: "call.changed"; readonly call: RecordedCall };
/** The turn's calls are done with: their results are in the conversation, or dropped with their answer. */
export type TurnEvent = { readonly type: "turn.ended" };
/** Some of the {@link Facts} have changed: these, as they now are. */
export type FactsEvent = { readonly type: "facts.changed"; readonly facts: Partial<Facts> };

/** The cause changed no row and no record: it is shown as it is (output of a command in the background, a held-back block). */
export type NotedEvent = { readonly type: "event.noted" };

/** What a macrostep decided, piece by piece; the commit gate collects the pieces into one commit. */
export type TaskEmitted =
  | LogEvent
  | ConversationEvent
  | DecisionEvent
  | QueueEvent
  | CallEvent
  | TurnEvent
  | FactsEvent
  | EffectEvent
  | ReportEvent
  | NotedEvent;
