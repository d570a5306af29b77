import { memoize } from "../machines/conversation/index.ts";
import type { ActorInputs, Completion, EdgeLogic } from "../machines/task/index.ts";
import { createRegistry, type Policy, type Shell, type Tool, type Workspace } from "../tools/index.ts";
import { askActor, type Expiry, type OpenAsks } from "./ask/index.ts";
import { type CheckpointsPort, checkpointActor } from "./checkpoint.ts";
import { contextActor, type MentionSources, systemPrompt } from "./context/index.ts";
import { type ChatModel, condenseActor, type LlmOptions, llmActor } from "./llm/index.ts";
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
  readonly expiry?: ((ask: ActorInputs["ask"]) => Expiry | undefined) | undefined;
  /** Parts of the system prompt after the standard ones. */
  readonly instructions?: readonly string[] | undefined;
  /** Where the mentions in texts of the user are looked up, and their limits. Default: the workspace alone. */
  readonly mentions?: Omit<MentionSources, "workspace"> | undefined;
  /** Opens the checkpoints of the workspace. Default: no checkpoints. */
  readonly checkpoints?: CheckpointsPort | undefined;
  /** Runs subtasks. Default: every subtask fails. */
  readonly subtasks?: SubtaskPort | undefined;
  /** What completes the task: with `end_turn` the tool `attempt_completion` is not offered. Default `end_turn`. */
  readonly completion?: Completion | undefined;
  /** The completion tool of the current run, in place of that of `tools`: the run completes with it only. */
  readonly resultTool?: (() => Tool | undefined) | undefined;
  /** Whether this is a subtask, whose completion the policy may accept and whose prompt has no mentions. Default false. */
  readonly isSubtask?: boolean;
  /** Limits of one response, and how often the task is notified of it. */
  readonly llm?: LlmLimits | undefined;
}

/** The optional limits of {@link LlmOptions}. */
export type LlmLimits = Pick<LlmOptions, "frameMs" | "idleTimeoutMs" | "previewBytes" | "answerMaxChars">;

/** Creates the logic of an edge actor, each time it is started. */
export type EdgeActorCreators = { readonly [K in keyof ActorInputs]: () => EdgeLogic<K> };

/** Edge of actors that only read: their results have no effect before the machine decides. */
const startNow: Edge["release"] = (start) => start();

/**
 * Creates the standard edge actors of one task when they start, so that a task at rest holds that of its ask only.
 * @throws ToolError if two tools have the same name
 */
export class EdgeActorFactory implements EdgeActorCreators {
  readonly #edge: Edge;
  readonly #options: EdgeOptions;
  readonly #completions: AllowedCompletions | undefined;
  /** Read once for the same tools: a prompt that changes between requests is not served from the cache. */
  #systemPrompt: { readonly of: readonly Tool[]; readonly parts: Promise<readonly string[]> } | undefined;
  /** It remembers what it has reported. */
  #checkpoint: EdgeLogic<"checkpoint"> | undefined;

  constructor(edge: Edge, options: EdgeOptions) {
    registryOf(options.tools);
    this.#edge = edge;
    this.#options = options;
    this.#completions = options.isSubtask === true ? new AllowedCompletions() : undefined;
  }

  opening(): EdgeLogic<"opening"> {
    return openingActor(this.#edge);
  }

  context(): EdgeLogic<"context"> {
    const { workspace, calls, mentions = {}, isSubtask = false } = this.#options;
    const results: CallTracker["resultsOf"] = (callIds) => calls.resultsOf(callIds);
    return contextActor(this.#readingEdge, { workspace, results, mentions, isSubtask });
  }

  condense(): EdgeLogic<"condense"> {
    return condenseActor(this.#edge, this.#llmOptions);
  }

  llm(): EdgeLogic<"llm"> {
    return llmActor(this.#edge, this.#llmOptions);
  }

  review(): EdgeLogic<"review"> {
    const { policy, workspace, subtasks } = this.#options;
    const completions = this.#completions;
    return reviewActor(this.#readingEdge, {
      registry: registryOf(this.#tools),
      policy,
      workspace,
      ...(subtasks?.unavailable !== undefined && { subtasksUnavailable: subtasks.unavailable }),
      ...(completions !== undefined && { completions }),
    });
  }

  tool(): EdgeLogic<"tool"> {
    const { tools, workspace, shell, calls } = this.#options;
    return toolActor(this.#edge, { registry: registryOf(tools), workspace, shell, calls });
  }

  ask(): EdgeLogic<"ask"> {
    const { asks, expiry } = this.#options;
    return askActor(this.#edge, {
      asks,
      expiry: (ask) => this.#completions?.expiry(ask) ?? expiry?.(ask),
    });
  }

  timer(): EdgeLogic<"timer"> {
    return timerActor(this.#edge);
  }

  checkpoint(): EdgeLogic<"checkpoint"> {
    this.#checkpoint ??= checkpointActor(this.#edge, this.#options.checkpoints);
    return this.#checkpoint;
  }

  subtask(): EdgeLogic<"subtask"> {
    return subtaskActor(this.#edge, this.#options.subtasks);
  }

  /** The standard actors, each for all its starts. */
  all(): EdgeActors {
    return {
      opening: this.opening(),
      context: this.context(),
      condense: this.condense(),
      llm: this.llm(),
      review: this.review(),
      tool: this.tool(),
      ask: this.ask(),
      timer: this.timer(),
      checkpoint: this.checkpoint(),
      subtask: this.subtask(),
    };
  }

  get #llmOptions(): LlmOptions {
    const { llm, model } = this.#options;
    return { ...llm, model, tools: this.#tools, offered: this.#offered, system: () => this.#system() };
  }

  get #readingEdge(): Edge {
    return { ...this.#edge, release: startNow };
  }

  get #tools(): readonly Tool[] {
    const { tools, resultTool } = this.#options;
    const tool = resultTool?.();
    return tool === undefined ? tools : toolsWith(tool)(tools);
  }

  get #completion(): Completion {
    const { completion = "end_turn", resultTool } = this.#options;
    return resultTool?.() === undefined ? completion : "tool";
  }

  /** A call of the completion tool is understood without it: the conversation may have earlier ones. */
  get #offered(): readonly Tool[] {
    return this.#completion === "tool" ? this.#tools : withoutCompletion(this.#tools);
  }

  #system(): Promise<readonly string[]> {
    const offered = this.#offered;
    if (this.#systemPrompt?.of !== offered) this.#systemPrompt = { of: offered, parts: this.#readSystem() };
    return this.#systemPrompt.parts;
  }

  async #readSystem(): Promise<readonly string[]> {
    const { workspace, instructions = [] } = this.#options;
    const [tools, completion] = [this.#offered, this.#completion];
    const rules = await workspace.projectRules();
    return [...systemPrompt({ tools, completion, workspace: workspace.root, rules }), ...instructions];
  }
}

/** One list for all tasks with the same tools. */
const withoutCompletion = memoize((tools: readonly Tool[]): readonly Tool[] =>
  tools.filter(({ ask }) => ask !== "completion_result"),
);

/** The tools with another completion tool: one list for each. */
const toolsWith = memoize((completion: Tool) =>
  memoize((tools: readonly Tool[]): readonly Tool[] => [...withoutCompletion(tools), completion]),
);

/** One registry for all tasks with the same list of tools. */
const registryOf = memoize(createRegistry);

/**
 * The standard edge actors of one task, for `taskMachine.provide`.
 *
 * @example
 * ```ts
 * import { edgeActors, immediateEdge } from "signalbox/actors";
 * import { taskMachine } from "signalbox/machines";
 * const machine = taskMachine.provide({ actors: edgeActors(immediateEdge, options) });
 * ```
 * @throws ToolError if two tools have the same name
 */
export function edgeActors(edge: Edge, options: EdgeOptions): EdgeActors {
  return new EdgeActorFactory(edge, options).all();
}
