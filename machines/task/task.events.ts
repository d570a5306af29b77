import type { ConversationEvent } from "../conversation/conversation.ts";
import type { AssistantBlock, ImageBlock, TextBlock, UserBlock } from "../conversation/entry.ts";
import type { IsolatedFiles } from "../conversation/isolated-files.ts";
import type { Answer, AskType } from "../message/asks.ts";
import type { ElicitationAnswer, ElicitationRequest } from "../message/elicitation.ts";
import type { LogEvent } from "../message/log.ts";
import type { ProgressStatus } from "../message/message.ts";
import type { ToolCallEventType } from "../tool-call/call.table.ts";
import type {
  CallAsk,
  Decision,
  Input,
  Phase,
  RecordedCall,
  Review,
  SubtaskOutcome,
} from "../tool-call/call.ts";
import type { Author, Controlled, ControlRecord, ControlState } from "../tool-call/control.ts";
import type { FileWrite } from "../tool-call/file-write.ts";
import type { Grant } from "../tool-call/grant.ts";
import type { HookText, HookVerdict } from "../tool-call/hooks.ts";
import type { TaskIntent } from "../tool-call/intent.ts";
import type { PermissionMode, PermissionState, SessionRule } from "../tool-call/permissions.ts";
import type { EffectKind } from "./effect-kinds.ts";

/** Time of an event, in milliseconds since 1970. The sender sets it (L15). */
interface Timed {
  readonly at: number;
}

/** Message that a user sends while the agent runs. It answers no ask and approves nothing. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  readonly images: readonly string[];
}

/** A model, and where its requests go. */
export interface ModelRef {
  /** Who serves the model, such as `anthropic`. */
  readonly provider: string;
  /** Name of the model at its provider. */
  readonly id: string;
  /** Base URL of its endpoint, without credentials and query. The mock provider of the command: the file of its script. */
  readonly endpoint?: string;
  /**
   * Tokens that a request and its response may have together. Without it, only the user and the endpoint cause a
   * condensation. It may change without a change of the model.
   */
  readonly contextWindow?: number;
}

/** Tokens of one request, as the endpoint counts them, and their cost in US dollars; null: the price is unknown. */
export interface Usage {
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheWrites: number;
  readonly cacheReads: number;
  readonly cost: number | null;
}

/**
 * The condition that completes a task. `end_turn`: a response with text and without a tool call. `tool`: a call of
 * `attempt_completion` only; after a response without a tool call the model gets a notice.
 */
export type Completion = "end_turn" | "tool";

/**
 * Who cancelled a task. `user`: a call of `cancel`, in any interface. `signal`: the program's abort signal. `close`: the
 * task was closed, for example because its host or server ends. `parent`: the task above ended its subtasks.
 */
export type CancelOrigin = "user" | "signal" | "close" | "parent";

/** A time at which a task at rest continues without a person (law WAKE). */
export interface WakeUp {
  readonly id: string;
  /** When it is due, in milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds from one due time to the next. Absent: it is due once. */
  readonly everyMs?: number;
  /** The text that the model gets when it is due. */
  readonly message: string;
}

/** user -> machine */
export type UserEvent = Timed &
  (
    | { readonly type: "task.start"; readonly text: string; readonly images: readonly string[] }
    | { readonly type: "task.cancel"; readonly origin: CancelOrigin }
    /** The user selects another mode. The next request names it, and calls that have not started are judged by it. */
    | { readonly type: "mode.switched"; readonly mode: string }
    /** The user selects a profile by its name: the model of the next request. */
    | { readonly type: "profile.selected"; readonly name: string }
    /** The permissions from now on. An absent one stays; if both are absent, the policy has changed. */
    | {
        readonly type: "permissions.changed";
        readonly mode?: PermissionMode;
        readonly rules?: readonly SessionRule[];
      }
    /** The condition that completes the task from now on. Only at rest. */
    | { readonly type: "completion.selected"; readonly completion: Completion }
    /** The task rests before its next request. A running call ends first. */
    | { readonly type: "task.pause" }
    /** The next request condenses the conversation first. `instructions`: what its summary must contain; may be empty. */
    | { readonly type: "compact.requested"; readonly instructions: string }
    | { readonly type: "queue.added"; readonly item: QueuedMessage }
    /** Without `images`, the item keeps its images. */
    | {
        readonly type: "queue.edited";
        readonly id: string;
        readonly text: string;
        readonly images?: readonly string[];
      }
    | { readonly type: "queue.removed"; readonly id: string }
    | { readonly type: "wake.scheduled"; readonly wakeUp: WakeUp }
    /** Without an `id`, all wake-ups are cleared. */
    | { readonly type: "wake.cleared"; readonly id?: string }
  );

/** host -> machine: the time of one or more wake-ups has come, or had come when the task was opened. */
export type WakeEvent = Timed & { readonly type: "wake.due" };

/** opening actor -> machine: the journal has its header. */
export type OpeningEvent = Timed & { readonly type: "task.opened" };

/** ask actor -> machine: exactly one of these. */
export type AskEvent = Timed & {
  readonly askId: number;
  readonly answer: Answer;
  /** The answer to the request of a running call. */
  readonly elicited?: ElicitationAnswer;
} & (
    | {
        readonly type: "ask.answered";
        /** The digest of the amended arguments, if a yes amended them (L7). */
        readonly digest?: string;
      }
    | { readonly type: "ask.expired"; readonly rule: string }
  );

/** Result of a stopped call, or `uncertain` where none is recorded (L12). */
export interface EffectResult {
  readonly callId: string;
  readonly content: readonly (TextBlock | ImageBlock)[] | "uncertain";
  /** The files that it changed. Absent: none, or the workspace has no ledger. */
  readonly writes?: readonly FileWrite[];
}

export interface ContextReady {
  readonly type: "context.ready";
  /** The `<environment_details>` block. Empty: none. */
  readonly environment: string;
  /** Results of the stopped calls. */
  readonly ends: readonly EffectResult[];
  /** The attachments that the user's texts mention. */
  readonly attached?: readonly (TextBlock | ImageBlock)[];
}

/** context actor -> machine: exactly one of these. */
export type ContextEvent = Timed & { readonly requestId: number } & (
    | ContextReady
    | { readonly type: "context.failed"; readonly message: string }
  );

/** condense actor -> machine: `condense.unneeded`, or `condense.started` and then exactly one of finished | failed. */
export type CondenseEvent = Timed & { readonly requestId: number } & (
    | { readonly type: "condense.started" }
    | {
        readonly type: "condense.finished";
        readonly summary: string;
        readonly usage: Usage;
        /** The verdict of the protocol that judges responses. Without one, nothing is condensed. */
        readonly control?: Controlled;
        /** The reason why the summary is withheld. Then nothing is condensed. */
        readonly withheld?: string;
        /** The reason why the summary is changed, for the model. */
        readonly told?: string;
      }
    /** `jitter`: 0..1 */
    | {
        readonly type: "condense.failed";
        readonly failure: Failure;
        readonly usage: Usage;
        readonly jitter: number;
      }
    /** The endpoint counted `tokens` in the whole request: fewer than the threshold that an estimate had reached. */
    | { readonly type: "condense.unneeded"; readonly tokens: number }
  );

/** The ends of a response that are no failure. */
export const STOP_REASONS = [
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
  "model_context_window_exceeded",
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Reason why a request failed. `retryable`, the delay and the jitter come with the event (L15). */
export interface Failure {
  /** An error type of the endpoint or of this package: `overloaded_error`, `stream_cut`, `idle_timeout`, `refusal`, ... */
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
    /** A whole block that is not interpreted. `text` is the text of its message. */
    | { readonly type: "llm.opaque"; readonly index: number; readonly text: string }
    /** `preview`: the whole text of the partial message, at most 8 KB; sent each time it has doubled. */
    | { readonly type: "llm.tool.delta"; readonly callId: string; readonly preview: string }
    /** `received`: characters of the arguments so far; sent with each further 8 KB. The preview stays. */
    | { readonly type: "llm.tool.delta"; readonly callId: string; readonly received: number }
    /** The arguments are complete. Sent only when later events show that the block was not cut. */
    | { readonly type: "llm.tool.end"; readonly callId: string; readonly input: Input }
    /** The arguments are incomplete (cut at the output limit) or not JSON: the call never runs (L7). */
    | { readonly type: "llm.tool.broken"; readonly callId: string; readonly error: string }
    | { readonly type: "llm.usage"; readonly usage: Usage }
    | {
        readonly type: "llm.finished";
        readonly stopReason: StopReason;
        /** The exact response, with thinking and signatures. */
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

/** hook actor -> machine: exactly one of these. `texts`: what the hooks add for the model. */
export type HookEvent = Timed & { readonly verdict: HookVerdict; readonly texts: readonly HookText[] } & (
    | { readonly type: "request.hooked"; readonly requestId: number }
    /** `digest`: of the arguments that the hooks saw. */
    | {
        readonly type: "call.hooked";
        readonly callId: string;
        readonly digest: string;
        /** Present where a protocol controls the task, unless hooks denied the call before. */
        readonly control?: Controlled;
      }
    | { readonly type: "result.hooked"; readonly callId: string; readonly control?: Controlled }
  );

/** llm actor -> machine: a protocol judged the response, before anything of it is shown. */
export interface ResponseJudged extends Timed {
  readonly type: "response.judged";
  readonly requestId: number;
  readonly control: Controlled;
  /** The writer of the response that follows. */
  readonly author: Author;
  /** The reason why the response is withheld, for the model. Then nothing of it follows. */
  readonly withheld?: string;
  /** The reason why the response is changed, for the model. */
  readonly told?: string;
  /** Usage of all responses that were sampled and do not follow. */
  readonly usage: Usage;
}

/** The rest of a command's output after the environment block `after`, which has the output before it. */
export interface OutputRest {
  readonly after: string;
  readonly output: string;
}

/** Output of a command, bounded, and its exit code. */
interface CommandResult {
  readonly output: string;
  readonly exitCode?: number;
  /** The rests of output that was offered to requests, for a command. The rest after the newest block is first. */
  readonly rests?: readonly OutputRest[];
}

/** The writes of a call that changed files, in a workspace with a ledger. */
interface Writing {
  readonly writes?: readonly FileWrite[];
}

/**
 * tool actor -> machine: any number of outputs, statuses and requests for input, one at a time, then exactly one of
 * finished | failed.
 */
export type ToolEvent = Timed & { readonly callId: string } & (
    | { readonly type: "tool.output"; readonly text: string }
    | { readonly type: "tool.progress"; readonly status: ProgressStatus }
    /** The call says that its command continues in the background. */
    | { readonly type: "tool.backgrounded" }
    /** A person is asked for input, in a call whose review `elicits`. */
    | {
        readonly type: "tool.elicitation.requested";
        readonly elicitationId: string;
        readonly request: ElicitationRequest;
      }
    | (Writing & {
        readonly type: "tool.finished";
        readonly content: readonly (TextBlock | ImageBlock)[];
        readonly command?: CommandResult;
        /** The results of an index, as JSON: shown to the user when the call's position in the response is reached. */
        readonly found?: string;
      })
    | (Writing & { readonly type: "tool.failed"; readonly error: string; readonly command?: CommandResult })
  );

/** timer actor -> machine */
export type TimerEvent = Timed & { readonly type: "timer.fired"; readonly timerId: string };

/** checkpoint actor -> machine: exactly one of these. */
export type CheckpointEvent = Timed & { readonly callId: string } & (
    | { readonly type: "checkpoint.saved"; readonly hash: string; readonly from?: string }
    /** `reason` is shown to the user; without one nothing is. */
    | { readonly type: "checkpoint.skipped"; readonly reason?: string }
  );

/** subtask actor -> machine: exactly one of these. */
export type SubtaskEvent = Timed & { readonly callId: string } & (
    | { readonly type: "subtask.ended"; readonly end: SubtaskOutcome }
    /** The subtask can't be opened now, and has not ended: another process has it open, or its journal can't be read. */
    | { readonly type: "subtask.unavailable"; readonly message: string }
    /** The subtask is paused and rests, and this task is being paused. The subtask has not ended. */
    | { readonly type: "subtask.paused" }
  );

/** Represents the start of a task that is opened from its journal. No actor sends it. */
type RecoveryEvent = Timed & { readonly type: "task.recovered" };

/**
 * commit gate -> machine: the journal can't be written. `unwritten`: the completion that the task rests on is in no
 * record, so nobody has seen it.
 */
export type JournalEvent = Timed & {
  readonly type: "journal.failed";
  readonly message: string;
  readonly unwritten?: "completion";
};

/** An event that the task machine takes, from the user or from one of its actors. */
export type TaskEvent =
  | UserEvent
  | WakeEvent
  | OpeningEvent
  | AskEvent
  | ContextEvent
  | CondenseEvent
  | LlmEvent
  | ResponseJudged
  | ReviewEvent
  | HookEvent
  | ToolEvent
  | TimerEvent
  | CheckpointEvent
  | SubtaskEvent
  | RecoveryEvent
  | JournalEvent;

/** A condensation of the conversation. */
export type Compaction =
  /** The next request begins with it. */
  | {
      readonly state: "requested";
      /** Who asked for it: the user, or an endpoint whose window is full. */
      readonly by: "user" | "window";
      /** The subjects that the summary must contain besides the usual ones; may be empty. */
      readonly instructions: string;
    }
  /** The newest request began with it, since the window was full, and has no response yet. */
  | { readonly state: "applied" };

/** The profiles of a task's requests. A profile is a name; null: the standard model. */
export interface ProfileSelection {
  /** The profile of the next request. */
  readonly name: string | null;
  /** The profile that the user selected last: modes without a profile have it. */
  readonly chosen: string | null;
  /** The standard model, which the newest request may not have used. */
  readonly standard?: ModelRef;
}

/** The amounts that the task and its subtasks may spend. */
export type Budget =
  /** `own`: from the user. `lent`: from the parent, which gets the rest back when the task completes. */
  | { readonly state: "own" | "lent"; readonly granted: Grant; readonly left: Grant }
  /** The parent has the rest: nothing is left. */
  | { readonly state: "returned"; readonly granted: Grant };

/** A command that runs in the background. */
export interface BackgroundCommand {
  readonly callId: string;
  readonly command: string;
}

/** A subtask that works while its parent goes on. Its call is settled. */
export interface BackgroundSubtask {
  readonly callId: string;
  readonly childId: string;
  /** The tool that started it, with its arguments. */
  readonly name: string;
  readonly input: Input;
  /** The amounts that it may spend. */
  readonly grant?: Grant;
  /** Its files. Absent: the files of its parent. */
  readonly isolation?: IsolatedFiles;
  /** The reason why it does not work now. `closed`: the task was opened, and has not continued yet. */
  readonly rests?: "paused" | "unavailable" | "closed";
  /** Its outcome, until a request tells the model. */
  readonly end?: SubtaskOutcome;
}

/** Running counts, each with a limit. */
export interface Counters {
  /** Consecutive errors of the model; compared with `limits.mistakes`. */
  readonly mistakes: number;
  /** Consecutive responses without a tool call. */
  readonly noToolUses: number;
  /** Consecutive failed attempts; compared with `limits.retries`. */
  readonly retries: number;
  /** Consecutive paused turns (`pause_turn`); compared with `limits.pauses`. */
  readonly pauses: number;
  /** Requests since a person last extended the budget; compared with `limits.requests`. */
  readonly requests: number;
  /** US dollars since a person last extended the budget; compared with `limits.cost`. Null: unknown. */
  readonly cost: number | null;
  /** The newest call, and how often it came in a row; compared with `limits.repetitions`. */
  readonly repeated: RepeatedCall;
  /**
   * The second and the third newest call, and how many of the newest calls are in a row of cycles of two and of three.
   * Absent in older journals.
   */
  readonly cycles?: readonly RepeatedCall[];
}

/** A call by its digest. */
export interface RepeatedCall {
  readonly digest: string;
  readonly times: number;
}

/** A file to which the newest diff could not be applied. */
interface FailedDiff {
  readonly file: string;
  /** Consecutive failures; compared with `limits.diffFailures`. */
  readonly times: number;
}

/**
 * Part of a task's context that survives its process, besides the log, the conversation, the queue and the calls.
 * Each change of one of these is part of the commit that makes it (L11).
 */
export interface DurableFacts {
  /** Content for the next request: feedback and notices since the last one. */
  readonly pending: readonly UserBlock[];
  /** The user's messages since the last request that may have mentions, by `ts`. */
  readonly mentions: readonly number[];
  readonly background: readonly BackgroundCommand[];
  /** In the order of their calls. */
  readonly backgroundSubtasks: readonly BackgroundSubtask[];
  readonly counters: Counters;
  /** Earliest time of the next attempt; 0 without one. */
  readonly retryAt: number;
  /** Start of the newest request, where the next one waits for it; 0 without `limits.rateLimitMs`. */
  readonly requestedAt: number;
  /** The newest failure last; at most `limits.diffFiles`. */
  readonly failedDiffs: readonly FailedDiff[];
  /** Total usage of the task. */
  readonly total: Usage;
  /** The result of the newest completion. */
  readonly result: string | undefined;
  /** The slug of the task's current mode. */
  readonly mode: string;
  /** Number of subtasks started. */
  readonly children: number;
  /** The model of the newest request. Undefined before the first one, and in older journals. */
  readonly model: ModelRef | undefined;
  /** Tokens of the conversation: of the last request and its response, and an estimate of what was added since. */
  readonly contextTokens: number;
  /** Null: the next request begins with none, unless the window is nearly full. */
  readonly compaction: Compaction | null;
  /** A pause: `asked` until the task rests, `resting` until an answer resumes it. Null: none. */
  readonly pause: "asked" | "resting" | null;
  /** In the order in which they were scheduled; at most `limits.wakeUps`. */
  readonly wakeUps: readonly WakeUp[];
  /** Null: limited by `limits` alone. */
  readonly budget: Budget | null;
  /** The permissions that the user gives at run time. */
  readonly permissions: PermissionState;
  /** Null: the standard model, and no other was selected yet. */
  readonly profile: ProfileSelection | null;
  /** Null: the workspace has no intents. */
  readonly intent: TaskIntent | null;
  /** Null: no protocol controls the task. */
  readonly control: ControlState | null;
}

/** The task is at rest or completed. Emitted, and sent to the actor that invoked the machine (`reportTo`). */
export type ReportEvent =
  | { readonly type: "task.rested"; readonly taskId: string; readonly ask: AskType }
  | {
      readonly type: "task.completed";
      readonly taskId: string;
      readonly result: string;
      readonly usage: Usage;
      /** The rest of a subtask's grant, which its parent gets back. */
      readonly rest?: Grant;
    };

type QueueEvent = { readonly type: "queue.changed"; readonly queue: readonly QueuedMessage[] };
type DecisionEvent = { readonly type: "decision.made"; readonly decision: Decision };
type ControlEvent = { readonly type: "control.judged"; readonly record: ControlRecord };

/** This macrostep starts or stops an actor. */
export type EffectEvent =
  | {
      readonly type: "effect.started";
      readonly effect: EffectKind;
      readonly id: string;
      /** The profile that the request goes to, if it is not the standard model. */
      readonly profile?: string;
      /** The mode of the request that this is a part of, if the task has another mode now. */
      readonly mode?: string;
    }
  | { readonly type: "effect.stopped"; readonly effect: EffectKind; readonly id: string };

/** A call took a transition of its table. No commit has this event: the journal has its cause and what recovery needs. */
export interface CallMoved {
  readonly type: "call.moved";
  readonly callId: string;
  readonly by: ToolCallEventType;
  readonly from: Phase;
  readonly to: Phase;
}

/** A call enters a phase that recovery needs. */
type CallEvent = { readonly type: "call.changed"; readonly call: RecordedCall };
/** The turn is over: its tool results are in the conversation, or discarded with their response. */
type TurnEvent = { readonly type: "turn.ended" };
/** The new values of changed {@link DurableFacts}. */
type FactsEvent = { readonly type: "facts.changed"; readonly facts: Partial<DurableFacts> };

/** The event changed no message and no record, for example output of a background command. */
type NotedEvent = { readonly type: "event.noted" };

/** The events that a macrostep emits. The commit gate collects all but `CallMoved` into one commit. */
export type TaskEmitted =
  | LogEvent
  | ConversationEvent
  | DecisionEvent
  | ControlEvent
  | QueueEvent
  | CallEvent
  | CallMoved
  | TurnEvent
  | FactsEvent
  | EffectEvent
  | ReportEvent
  | NotedEvent;
