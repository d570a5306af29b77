import type { AskType } from "../machines/message/asks.ts";
import type { Effect, Input, Outcome } from "../machines/tool-call/call.ts";
import type { HookPoint } from "../machines/tool-call/hooks.ts";

/** Decides about the work of a task at some points of it, or only sees it. */
export interface Hook {
  /** 1 to 100 characters, unique among the hooks of a task: messages name it. */
  readonly name: string;
  readonly points: readonly HookInput["point"][];
  /** The tools whose calls it sees: names, and patterns `mcp(SERVER/TOOL)`. Default: all. */
  readonly tools?: readonly string[];
  /** Time in which it must decide, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
  /** Whether the journal keeps a result that it replaces. All hooks that replace the result must agree. Default false. */
  readonly keepOriginal?: boolean;
  /**
   * Decide. Nothing is the same as `allow`. An error, no decision in time and an invalid one deny.
   *
   * @param scope `signal` aborts at the time limit, and when the task is cancelled
   */
  run(
    input: HookInput,
    scope: { readonly signal: AbortSignal },
  ): HookDecision | undefined | Promise<HookDecision | undefined>;
}

/** The decision of a hook. */
export interface HookDecision {
  /** Several hooks: deny comes before ask, amend, replace and allow. Default `allow`. */
  readonly decision?: "allow" | "deny" | "ask" | "amend" | "replace";
  /** The reason, for the model and the user. At most 1,000 characters. */
  readonly reason?: string;
  /** The arguments of `amend`, in place of those that the hook saw. At most 1 MB of JSON. */
  readonly arguments?: Input;
  /** The text in place of the result, for `replace` at `afterTool`. At most 200 KB. */
  readonly result?: string;
  /** Text for the model, in its next request. At most 20,000 characters. */
  readonly context?: string;
}

/** The subject of a hook's decision. Each hook has its own copy. */
export type HookInput = {
  readonly taskId: string;
  /** Real path of the workspace folder. */
  readonly workspace: string;
} & (RequestHookInput | CallHookInput | ResultHookInput | WriteHookInput | RestHookInput);

/** A request to the model, before it is sent. */
export interface RequestHookInput {
  readonly point: "beforeRequest";
  /** The slug of the mode. */
  readonly mode: string;
  /** The texts of the newest user entry of the conversation: the prompt, or tool results. At most 100 KB. */
  readonly text: string;
}

/** A tool call. */
interface HookedCall {
  /** The slug of the mode. */
  readonly mode: string;
  readonly callId: string;
  /** Canonical name of the tool. */
  readonly tool: string;
  readonly effect: Effect;
  /** The final arguments: as the model sent them, a hook replaced or a person amended them. */
  readonly arguments: Input;
}

/** A call that is permitted, or that a person will be asked about. */
export interface CallHookInput extends HookedCall {
  readonly point: "beforeTool";
  /** Hexadecimal SHA-256 of the name and the arguments. */
  readonly digest: string;
}

/** A call that has ended, before the model gets its result. */
export interface ResultHookInput extends HookedCall {
  readonly point: "afterTool";
  readonly result: HookedResult;
}

/** A call that wrote to files, before the model gets its result. */
export interface WriteHookInput extends HookedCall {
  readonly point: "afterWrite";
  readonly result: HookedResult;
  /** Relative to the workspace if possible. */
  readonly paths: readonly string[];
}

/** A result as the hooks before have made it. */
export interface HookedResult {
  readonly kind: Outcome["kind"];
  /** The joined texts. At most 250 KB, which is more than the result of a tool has. */
  readonly text: string;
}

/** A task at rest. The hook decides nothing. */
export interface RestHookInput {
  readonly point: "onRest";
  readonly ask: AskType;
  /** The result of a completed task. */
  readonly result?: string;
}

/** The points of hooks at which a task's machine starts them. */
export const machinePoints = (hooks: readonly Hook[]): readonly HookPoint[] =>
  HOOK_POINTS.filter((point) => point !== "onRest").filter((point) =>
    hooks.some(({ points }) => points.includes(point)),
  );

/** The points of a hook. */
export const HOOK_POINTS = [
  "beforeRequest",
  "beforeTool",
  "afterTool",
  "afterWrite",
  "onRest",
] as const satisfies readonly (HookPoint | "onRest")[];
