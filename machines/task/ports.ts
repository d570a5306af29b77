import type { Conversation } from "../conversation/index.ts";
import type { Answer, AskType } from "../message/index.ts";
import type { Decision, Input } from "../tool-call/index.ts";

/** What each edge actor is given when it is started. The machine names these actors and contains none. */
export interface ActorInputs {
  /** Sends `task.opened` once the journal has its header. */
  readonly opening: { readonly taskId: string };
  /** Collects what a request is built from; waits for the ends of the `stopped` calls (L10). */
  readonly context: {
    readonly requestId: number;
    /** Whether somebody has spoken since the last request: then the model is told more of its surroundings. */
    readonly spoken: boolean;
    readonly conversation: Conversation;
    readonly stopped: readonly string[];
    /** The slug of the mode that the model is told. */
    readonly mode: string;
  };
  /** Runs one attempt of one request. */
  readonly llm: { readonly requestId: number; readonly history: Conversation };
  /** Looks at a call: canonical name, arguments, paths, row text, policy. */
  readonly review: { readonly callId: string; readonly name: string; readonly input: Input };
  /** Runs a call under its decision. Receives `tool.abort`. */
  readonly tool: {
    readonly callId: string;
    readonly name: string;
    readonly input: Input;
    readonly decision: Decision;
  };
  /** Snapshots the workspace before the first effect of a turn. */
  readonly checkpoint: { readonly callId: string };
  /**
   * Does the work of a call as a task of its own. It goes on with the child `childId` of this call if there is one
   * already, and else makes it (L16). Its stop cancels the child.
   */
  readonly subtask: {
    readonly callId: string;
    readonly childId: string;
    readonly name: string;
    readonly input: Input;
  };
  /** Takes one answer of a kind that the ask `accepts`. */
  readonly ask: {
    readonly askId: number;
    readonly ask: AskType;
    readonly text: string;
    readonly callId?: string;
    readonly accepts: readonly Answer["kind"][];
  };
  /** Fires at `deadline`, milliseconds since 1970. */
  readonly timer: { readonly timerId: string; readonly deadline: number };
}

/** task -> tool actor: end the call's work. */
export type ToolCommand = { readonly type: "tool.abort" };
