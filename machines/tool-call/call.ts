import type { ImageBlock, TextBlock } from "../conversation/index.ts";

/** What a tool does to the world: nothing is run beside a call that `writes`, `executes` or `delegates` to a subtask. */
export type Effect = "reads" | "writes" | "executes" | "delegates" | "asks" | "none";

/** The ask by which a call is put to a person. */
export type CallAsk =
  | "tool"
  | "command"
  | "use_mcp_server"
  | "browser_action_launch"
  | "followup"
  | "completion_result";

/** What a policy says of a call. `rule` names the rule that said so. */
export type Verdict =
  | { readonly kind: "allow"; readonly rule: string }
  | { readonly kind: "deny"; readonly rule: string; readonly reason: string }
  | { readonly kind: "ask" };

/** What the edge found out about a call whose arguments came whole. */
export type Review =
  | {
      readonly valid: true;
      /** SHA-256 of the canonical name and arguments: what a decision is bound to (L7). */
      readonly digest: string;
      readonly effect: Effect;
      /** Whether running it again changes nothing (L12). */
      readonly replayable: boolean;
      /** The text of the call's row: the descriptor, the command, the question or the result. */
      readonly text: string;
      readonly verdict: Verdict;
    }
  /** Unknown tool, arguments that don't fit, a path outside: `error` is told to the model. */
  | { readonly valid: false; readonly error: string };

/** The recorded permission for one call (L7). */
export interface Decision {
  readonly callId: string;
  readonly digest: string;
  readonly by: { readonly person: true } | { readonly rule: string };
  readonly at: number;
}

/** How a call ended, in the words that the model gets. */
export interface Outcome {
  readonly kind: "done" | "failed" | "invalid" | "denied" | "skipped" | "interrupted" | "uncertain";
  readonly content: readonly (TextBlock | ImageBlock)[];
}

/** A person's words beside an approval or a rejection. */
export interface Feedback {
  readonly text: string;
  readonly images: readonly string[];
}

/** How a subtask ended. */
export type SubtaskEnd =
  | { readonly kind: "finished"; readonly result: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly message: string };

export interface CallIdentity {
  /** Unique in the task: the request's id and the model's own id of the call. */
  readonly callId: string;
  /** The model's id, by which result and call are paired. */
  readonly toolUseId: string;
  /** The canonical name. */
  readonly name: string;
  readonly ask: CallAsk;
  /** The `ts` of its ask row, once it is shown. */
  readonly row?: number;
}

export type Input = Readonly<Record<string, unknown>>;
export type ValidReview = Extract<Review, { valid: true }>;

/** One call of one turn: a variant per phase. */
export type ToolCall = CallIdentity &
  (
    | {
        /** Its arguments stream. `preview` is its partial row's text. */ readonly phase: "planned";
        readonly preview: string;
      }
    | {
        /** The edge looks at it. */ readonly phase: "deciding";
        readonly preview: string;
        readonly input: Input;
      }
    | {
        /** Looked at; waits for its turn. */ readonly phase: "decided";
        readonly input: Input;
        readonly review: ValidReview;
      }
    | { readonly phase: "asking"; readonly input: Input; readonly review: ValidReview }
    | {
        /** Permitted; starts when nothing that came before it runs. */
        readonly phase: "approved";
        readonly input: Input;
        readonly review: ValidReview;
        readonly decision: Decision;
        readonly feedback?: Feedback;
      }
    | {
        readonly phase: "running";
        readonly input: Input;
        readonly review: ValidReview;
        readonly decision: Decision;
        readonly feedback?: Feedback;
      }
    | {
        /** Stopped while it ran: its end is known when the next request is prepared (L10, L12). */
        readonly phase: "stopped";
        readonly replayable: boolean;
        readonly feedback?: Feedback;
      }
    | {
        /** A subtask does its work. `end`: what the child's own journal told of it when the task was opened (L16). */
        readonly phase: "delegated";
        readonly input: Input;
        readonly childId: string;
        readonly feedback?: Feedback;
        readonly end?: SubtaskEnd;
      }
    | {
        readonly phase: "settled";
        readonly outcome: Outcome;
        /** What the user is told in a `say:error` when its place in the answer is reached. */
        readonly notice?: string;
      }
  );

export type Phase = ToolCall["phase"];
export type CallIn<P extends Phase> = Extract<ToolCall, { phase: P }>;
