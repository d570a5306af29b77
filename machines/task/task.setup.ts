import { type AnyEventObject, type CallbackActorLogic, fromCallback, setup } from "xstate";
import type { Conversation } from "../conversation/conversation.ts";
import type { IsolatedFiles } from "../conversation/isolated-files.ts";
import type { Answer, AskType } from "../message/asks.ts";
import type { ElicitationAnswer, ElicitationRequest } from "../message/elicitation.ts";
import type { Amendment, Decision, Effect, Input, Outcome, Verdict } from "../tool-call/call.ts";
import type { Author, Json } from "../tool-call/control.ts";
import type { Grant } from "../tool-call/grant.ts";
import type { HookPoint } from "../tool-call/hooks.ts";
import type { TaskIntent } from "../tool-call/intent.ts";
import type { PermissionState } from "../tool-call/permissions.ts";
import { EFFECT_KINDS, type EffectKind } from "./effect-kinds.ts";
import { ActorNotProvidedError } from "./errors.ts";
import type { TaskContext, TaskInput } from "./task.context.ts";
import type { BackgroundCommand, TaskEmitted, TaskEvent } from "./task.events.ts";

/** A text that reached the task as user text. `prompt`: the task's first message; a subtask's is written by a model. */
export interface UserText {
  readonly origin: "prompt" | "feedback";
  readonly text: string;
}

/** A request that is condensed unless the endpoint counts fewer tokens than the threshold. */
export interface EstimatedRequest {
  readonly history: Conversation;
  /** In tokens. */
  readonly threshold: number;
}

/** A call that takes an amendment with its approval. */
export interface AmendableCall {
  readonly name: string;
  readonly input: Input;
  /** The version of the file whose proposal the person sees. An amendment that names no `base` gets it. */
  readonly base?: string;
}

/** The subject of a protocol that controls the task, beside the call that it judges. */
export interface CallControl {
  /** The state of the protocol. */
  readonly state: Json;
  /** The writer of the call. */
  readonly author: Author;
  /** The conversation until now, with the response that has the call. */
  readonly conversation: Conversation;
}

/** Input of each actor. The machine names these actors and contains none. */
export interface ActorInputs {
  /** Sends `task.opened` once the journal has its header. */
  readonly opening: { readonly taskId: string };
  /** Collects the context of a request; waits for the results of the `stopped` calls (L10). */
  readonly context: {
    readonly requestId: number;
    /** Whether the conversation has new user content since the last request: the environment block is then more detailed. */
    readonly spoken: boolean;
    /** The texts of the user since the last request that may have mentions. */
    readonly said: readonly UserText[];
    readonly conversation: Conversation;
    readonly stopped: readonly string[];
    /** The `tool_use` ids of the newest response's calls whose results go with this request, and are no errors. */
    readonly done: readonly string[];
    /** The commands that run in the background. */
    readonly background: readonly BackgroundCommand[];
    /** The slug of the mode that the environment block names. */
    readonly mode: string;
    /** Cost of the task so far, in US dollars; null: unknown. */
    readonly cost: number | null;
    /** Tokens of the conversation so far. */
    readonly contextTokens: number;
    /** Tokens of the model's context window; undefined: unknown. */
    readonly contextWindow: number | undefined;
  };
  /** Summarizes the beginning of a conversation. */
  readonly condense: {
    readonly requestId: number;
    readonly conversation: Conversation;
    /** The subjects that the summary must contain besides the usual ones; may be empty. */
    readonly instructions: string;
    /** The request, where only an estimate of its tokens causes the condensation. */
    readonly estimated: EstimatedRequest | undefined;
    /** The slug of the mode whose system prompt and tools the request has. */
    readonly mode: string;
    /** The profile whose model writes the summary. Absent: the standard model. */
    readonly profile?: string;
    /** The intent that the request names. Absent: the workspace has none. */
    readonly intent?: TaskIntent;
    /** The state of the protocol that judges the summary. Absent: none does. */
    readonly control?: Json;
  };
  /** Runs one attempt of one request, in a mode. */
  readonly llm: {
    readonly requestId: number;
    readonly history: Conversation;
    readonly mode: string;
    /** The profile whose model gets the request. Absent: the standard model. */
    readonly profile?: string;
    /** The intent that the request names. Absent: the workspace has none. */
    readonly intent?: TaskIntent;
    /** The state of the protocol that judges the response. Absent: none does. */
    readonly control?: Json;
  };
  /** Reviews a call: canonical name, arguments, mode, paths, message text, policy. */
  readonly review: {
    readonly callId: string;
    readonly name: string;
    readonly input: Input;
    readonly amendment?: Amendment;
    /** The slug of the mode that the call must fit. */
    readonly mode: string;
    readonly permissions: PermissionState;
    /** The intent that owns what the call may change. Absent: the workspace has none. */
    readonly intent?: TaskIntent;
    /** The verdict on a call that is about to start. It stands, and policies over time judge what happened until now. */
    readonly verdict?: Verdict;
  };
  /** Runs a call under its decision. Receives `tool.abort` and `tool.elicitation.answered`. */
  readonly tool: {
    readonly callId: string;
    readonly name: string;
    readonly input: Input;
    readonly amendment?: Amendment;
    readonly decision: Decision;
    /** The version of what it changes, as the person who approved it saw it. */
    readonly base?: string;
  };
  /** Runs the hooks of one point. */
  readonly hook:
    | {
        readonly point: Extract<HookPoint, "beforeRequest">;
        readonly requestId: number;
        readonly conversation: Conversation;
        readonly mode: string;
      }
    | {
        readonly point: Extract<HookPoint, "beforeTool">;
        readonly callId: string;
        readonly name: string;
        readonly input: Input;
        readonly amendment?: Amendment;
        /** The digest of the final arguments, which the decision is about (L7). */
        readonly digest: string;
        readonly effect: Effect;
        readonly mode: string;
        readonly control?: CallControl;
      }
    /** Those after a call: of `afterTool`, then of `afterWrite` if it wrote. */
    | {
        readonly point: Extract<HookPoint, "afterTool">;
        readonly callId: string;
        readonly name: string;
        readonly input: Input;
        readonly amendment?: Amendment;
        readonly effect: Effect;
        readonly outcome: Outcome;
        readonly mode: string;
        readonly control?: CallControl;
      };
  /** Snapshots the workspace before the first effect of a turn. */
  readonly checkpoint: { readonly callId: string };
  /** Executes a call as a subtask. Continues the child `childId` if it exists, else creates it (L16). Stop cancels it. */
  readonly subtask: {
    readonly callId: string;
    readonly childId: string;
    readonly name: string;
    readonly input: Input;
    /** The amounts that the child may spend. */
    readonly grant?: Grant;
    /** The files of the child. Absent: the files of its parent. */
    readonly isolation?: IsolatedFiles;
    /** The permissions that the child shares. */
    readonly permissions: PermissionState;
    /** The profile that the user selected last, for a child whose mode has none. */
    readonly chosenProfile?: string;
    /** The intent, which the child shares. Absent: the workspace has none. */
    readonly intent?: TaskIntent;
  };
  /** Takes one answer of a kind that the ask `accepts`. */
  readonly ask: {
    readonly askId: number;
    readonly ask: AskType;
    readonly text: string;
    readonly callId?: string;
    /** The call that a person may amend. */
    readonly call?: AmendableCall;
    /** The request of the running call. A text answers it. */
    readonly elicitation?: ElicitationRequest;
    /** The rule that answers it at once with a yes. */
    readonly acceptedBy?: string;
    readonly accepts: readonly Answer["kind"][];
  };
  /** Fires at `deadline`, milliseconds since 1970. */
  readonly timer: { readonly timerId: string; readonly deadline: number };
}

/** task -> tool actor: abort the call; a person answered its request for input. */
export type ToolCommand =
  | { readonly type: "tool.abort" }
  | {
      readonly type: "tool.elicitation.answered";
      readonly elicitationId: string;
      readonly answer: ElicitationAnswer;
    };

/** Logic of an actor that the machine names. */
export type EdgeLogic<K extends EffectKind> = CallbackActorLogic<
  K extends "tool" ? ToolCommand : AnyEventObject,
  ActorInputs[K]
>;

/** The logic of each actor that the machine starts. */
export type EdgeActors = { readonly [K in EffectKind]: EdgeLogic<K> };

/**
 * Makes the logic of each kind.
 * @example
 * ```ts
 * import { fromCallback } from "xstate";
 * import { actorsOfKinds, taskMachine } from "signalbox/machines";
 * const silent = taskMachine.provide({ actors: actorsOfKinds(() => fromCallback(() => {})) });
 * ```
 */
export const actorsOfKinds = (make: <K extends EffectKind>(kind: K) => EdgeLogic<K>): EdgeActors =>
  Object.fromEntries(EFFECT_KINDS.map((kind) => [kind, make(kind)])) as EdgeActors;

/** The machine's types and its actors by name. */
export const taskSetup = setup({
  types: {} as {
    context: TaskContext;
    events: TaskEvent;
    emitted: TaskEmitted;
    input: TaskInput;
  },
  actors: actorsOfKinds((kind) =>
    fromCallback(() => {
      throw new ActorNotProvidedError(kind);
    }),
  ),
});
