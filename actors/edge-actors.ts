import type { ActorInputs, EdgeLogic } from "../machines/task/index.ts";
import { createRegistry, type Policy, type Shell, type Tool, type Workspace } from "../tools/index.ts";
import { askActor, type Expiry, type OpenAsks } from "./ask/index.ts";
import { type CheckpointsPort, checkpointActor } from "./checkpoint.ts";
import { contextActor, systemPrompt } from "./context/index.ts";
import { type ChatModel, type LlmOptions, llmActor } from "./llm/index.ts";
import { openingActor } from "./opening.ts";
import type { Edge } from "./protocol/index.ts";
import { reviewActor } from "./review/index.ts";
import { AllowedCompletions, type SubtaskPort, subtaskActor } from "./subtask/index.ts";
import { timerActor } from "./timer.ts";
import { type CallTracker, toolActor } from "./tool/index.ts";

/** The logic of every edge actor of the task machine. */
export type EdgeActors = { readonly [K in keyof ActorInputs]: EdgeLogic<K> };

export interface EdgeOptions {
  readonly model: ChatModel;
  readonly tools: readonly Tool[];
  readonly policy: Policy;
  readonly workspace: Workspace;
  readonly shell: Shell;
  /** The open asks, which clients answer. */
  readonly asks: OpenAsks;
  /** Tracks running tool calls and their results, also after a stop. */
  readonly calls: CallTracker;
  /** Which asks expire, and the answer they get. Default: none. */
  readonly expiry?: (ask: ActorInputs["ask"]) => Expiry | undefined;
  /** Parts of the system prompt after the standard ones. */
  readonly instructions?: readonly string[];
  /** Opens the checkpoints of the workspace. Default: no checkpoints. */
  readonly checkpoints?: CheckpointsPort;
  /** Runs subtasks. Default: every subtask fails. */
  readonly subtasks?: SubtaskPort;
  /** Whether this is a subtask, whose completion the policy may accept. Default false. */
  readonly isSubtask?: boolean;
  /** Limits of one response, and how often the task is notified of it. */
  readonly llm?: LlmLimits;
}

/** The optional limits of {@link LlmOptions}. */
export type LlmLimits = Pick<LlmOptions, "frameMs" | "idleTimeoutMs" | "previewBytes" | "answerMaxChars">;

/**
 * The standard edge actors of one task, for `taskMachine.provide`.
 *
 * @example
 * ```ts
 * import { edgeActors, immediateEdge } from "signalbox/actors";
 * import { taskMachine } from "signalbox/machines";
 * const machine = taskMachine.provide({ actors: edgeActors(immediateEdge, options) });
 * ```
 */
export function edgeActors(edge: Edge, options: EdgeOptions): EdgeActors {
  const { model, tools, policy, workspace, shell, asks, calls, instructions = [] } = options;
  const { checkpoints, subtasks } = options;
  const completions = options.isSubtask === true ? new AllowedCompletions() : undefined;
  const expiry = (ask: ActorInputs["ask"]) => completions?.expiry(ask) ?? options.expiry?.(ask);
  const registry = createRegistry(tools);
  let parts: Promise<readonly string[]> | undefined;
  // Read once: a prompt that changes between requests is not served from the cache.
  const system = (): Promise<readonly string[]> => {
    parts ??= workspace
      .projectRules()
      .then((rules) => [...systemPrompt({ tools, workspace: workspace.root, rules }), ...instructions]);
    return parts;
  };
  // These two only read: their results have no effect before the machine decides.
  const immediate: Edge = { ...edge, release: (start) => start() };
  return {
    opening: openingActor(edge),
    context: contextActor(immediate, { workspace, results: (callIds) => calls.resultsOf(callIds) }),
    llm: llmActor(edge, { ...options.llm, model, tools, system }),
    review: reviewActor(immediate, {
      registry,
      policy,
      workspace,
      ...(subtasks?.unavailable !== undefined && { subtasksUnavailable: subtasks.unavailable }),
      ...(completions !== undefined && { completions }),
    }),
    tool: toolActor(edge, { registry, workspace, shell, calls }),
    ask: askActor(edge, { asks, expiry }),
    timer: timerActor(edge),
    checkpoint: checkpointActor(edge, checkpoints),
    subtask: subtaskActor(edge, subtasks),
  };
}
