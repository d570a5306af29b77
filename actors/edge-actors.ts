import type { ActorInputs, EdgeLogic } from "../machines/task/index.ts";
import { createRegistry, type Policy, type Shell, type Tool, type Workspace } from "../tools/index.ts";
import { type AskBoard, askActor, type Expiry } from "./ask/index.ts";
import { type CheckpointsPort, checkpointActor } from "./checkpoint.ts";
import { contextActor, readRules, systemPrompt } from "./context/index.ts";
import { type ChatModel, type LlmOptions, llmActor } from "./llm/index.ts";
import { openingActor } from "./opening.ts";
import type { Edge } from "./protocol/index.ts";
import { reviewActor } from "./review/index.ts";
import { AllowedCompletions, type SubtaskPort, subtaskActor } from "./subtask/index.ts";
import { timerActor } from "./timer.ts";
import { type EffectLedger, toolActor } from "./tool/index.ts";

/** The logic of every edge actor that the task machine names. */
export type EdgeActors = { readonly [K in keyof ActorInputs]: EdgeLogic<K> };

export interface EdgeOptions {
  readonly model: ChatModel;
  readonly tools: readonly Tool[];
  readonly policy: Policy;
  readonly workspace: Workspace;
  readonly shell: Shell;
  /** Where clients find the open asks. */
  readonly board: AskBoard;
  /** Knows how calls ended, also after a stop. */
  readonly ends: EffectLedger;
  /** Which asks a policy answers after a while, and how. Default: none. */
  readonly expiry?: (ask: ActorInputs["ask"]) => Expiry | undefined;
  /** More parts for the system prompt, after the standard ones. */
  readonly instructions?: readonly string[];
  /** Where the workspace is snapshotted. Default: nowhere. */
  readonly checkpoints?: CheckpointsPort;
  /** Who runs subtasks. Default: nobody, and each fails. */
  readonly subtasks?: SubtaskPort;
  /** Whether this is a subtask: then its completion may be accepted by the policy. Default false. */
  readonly isSubtask?: boolean;
  /** Bounds of one answer, and how often the task hears of it. */
  readonly llm?: LlmBounds;
}

/** The part of {@link LlmOptions} that is a matter of taste. */
export type LlmBounds = Pick<LlmOptions, "frameMs" | "idleTimeoutMs" | "previewBytes" | "answerMaxChars">;

/**
 * The standard edge actors of one task. Give them to the machine with `provide`, all or some of them.
 *
 * @example
 * ```ts
 * import { edgeActors, immediateEdge } from "signalbox/actors";
 * import { taskMachine } from "signalbox/machines";
 * const machine = taskMachine.provide({ actors: edgeActors(immediateEdge, options) });
 * ```
 */
export function edgeActors(edge: Edge, options: EdgeOptions): EdgeActors {
  const { model, tools, policy, workspace, shell, board, ends, instructions = [] } = options;
  const { checkpoints, subtasks } = options;
  const completions = options.isSubtask === true ? new AllowedCompletions() : undefined;
  const expiry = (ask: ActorInputs["ask"]) => completions?.expiry(ask) ?? options.expiry?.(ask);
  const registry = createRegistry(tools);
  let parts: Promise<readonly string[]> | undefined;
  // Read once: a prompt that changes between requests is paid for again.
  const system = (): Promise<readonly string[]> => {
    parts ??= readRules(workspace.root).then((rules) => [
      ...systemPrompt({ tools, workspace: workspace.root, rules }),
      ...instructions,
    ]);
    return parts;
  };
  // These two only look: what they find has no effect before it is decided upon, and that is held back.
  const looking: Edge = { ...edge, release: (start) => start() };
  return {
    opening: openingActor(edge),
    context: contextActor(looking, { workspace, ends: (callIds) => ends.endsOf(callIds) }),
    llm: llmActor(edge, { ...options.llm, model, tools, system }),
    review: reviewActor(looking, {
      registry,
      policy,
      workspace,
      ...(subtasks?.refusal !== undefined && { noSubtasks: subtasks.refusal }),
      ...(completions !== undefined && { completions }),
    }),
    tool: toolActor(edge, { registry, workspace, shell, ends }),
    ask: askActor(edge, { board, expiry }),
    timer: timerActor(edge),
    checkpoint: checkpointActor(edge, checkpoints),
    subtask: subtaskActor(edge, subtasks),
  };
}
