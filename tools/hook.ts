import type { AskKind } from "../machines/message/asks.ts";
import type { Effect, Input, Outcome } from "../machines/tool-call/call.ts";
import type { HookPoint } from "../machines/tool-call/hooks.ts";

/** The answers of a hook. Nothing is the same as `allow`. */
export type Decided<D extends HookDecision["decision"]> =
  | HookDecision<D>
  | undefined
  | Promise<HookDecision<D> | undefined>;

/** The surroundings of one call of a hook. */
export interface HookScope {
  /** Aborts at the time limit of the hook, and when the task is cancelled. */
  readonly signal: AbortSignal;
  /** The data folder of the task's host. */
  readonly dataDir?: string;
}

/**
 * The methods of a hook, each for one point of a task. Each call has its own copy of its input. An error, no decision in time
 * and one that the point does not take deny.
 */
export interface HookMethods {
  /** Decide about a request to the model, also a repeated one. */
  beforeRequest(request: HookInputAt<"beforeRequest">, scope: HookScope): Decided<"allow" | "deny">;
  /** Decide about a call at its turn, before it is shown. */
  beforeTool(call: HookInputAt<"beforeTool">, scope: HookScope): Decided<"allow" | "deny" | "ask" | "amend">;
  /** Decide about the result of a call that ran. */
  afterTool(ended: HookInputAt<"afterTool">, scope: HookScope): Decided<"allow" | "deny" | "replace">;
  /** Decide about the result of a call that wrote to files, after `afterTool`. */
  afterWrite(ended: HookInputAt<"afterWrite">, scope: HookScope): Decided<"allow" | "deny">;
  /** See where the task has settled. A decision is an error of the host. */
  onRest(rest: HookInputAt<"onRest">, scope: HookScope): Decided<"allow">;
}

/** Decides about the work of a task at the points of its methods, or only sees it. */
export interface Hook extends Partial<HookMethods> {
  /** 1 to 100 characters, unique among the hooks of a task: messages name it. */
  readonly name: string;
  /** The tools whose calls it sees: names, and patterns `mcp(SERVER/TOOL)`. Default: all. */
  readonly tools?: readonly string[];
  /** Time in which it must decide, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number;
  /** Whether the journal keeps a result that it replaces. All hooks that replace the result must agree. Default false. */
  readonly keepOriginal?: boolean;
}

/** The decision of a hook. */
export interface HookDecision<D = "allow" | "deny" | "ask" | "amend" | "replace"> {
  /** Several hooks: deny comes before ask, amend, replace and allow. Default `allow`. */
  readonly decision?: D;
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

/** The subject of a hook's decision at a point. */
export type HookInputAt<P extends HookInput["point"]> = Extract<HookInput, { readonly point: P }>;

/** A request to the model, before it is sent. */
interface RequestHookInput {
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
interface CallHookInput extends HookedCall {
  readonly point: "beforeTool";
  /** Hexadecimal SHA-256 of the name and the arguments. */
  readonly digest: string;
}

/** A call that has ended, before the model gets its result. */
interface ResultHookInput extends HookedCall {
  readonly point: "afterTool";
  readonly result: HookedResult;
}

/** A call that wrote to files, before the model gets its result. */
interface WriteHookInput extends HookedCall {
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
  readonly ask: AskKind;
  /** The result of a completed task. */
  readonly result?: string;
}

/** The points of hooks. */
export const HOOK_POINTS = [
  "beforeRequest",
  "beforeTool",
  "afterTool",
  "afterWrite",
  "onRest",
] as const satisfies readonly (HookPoint | "onRest")[];

/** The points of hooks at which a task's machine starts them. */
export const machinePoints = (hooks: readonly Hook[]): readonly HookPoint[] =>
  HOOK_POINTS.filter((point) => point !== "onRest").filter((point) =>
    hooks.some((hook) => hook[point] !== undefined),
  );

/** Call the method of a hook for the point of an input. */
export function callHook(hook: Hook, input: HookInput, scope: HookScope): unknown {
  switch (input.point) {
    case "beforeRequest":
      return hook.beforeRequest?.(input, scope);
    case "beforeTool":
      return hook.beforeTool?.(input, scope);
    case "afterTool":
      return hook.afterTool?.(input, scope);
    case "afterWrite":
      return hook.afterWrite?.(input, scope);
    case "onRest":
      return hook.onRest?.(input, scope);
  }
}

/** The methods of a hook that does the same at several points. A decision that its point does not take denies. */
export const methodsAt = (
  points: readonly HookInput["point"][],
  decide: (input: HookInput, scope: HookScope) => unknown,
): Partial<HookMethods> => Object.fromEntries(points.map((point) => [point, decide])) as Partial<HookMethods>;
