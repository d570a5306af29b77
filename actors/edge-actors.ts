import { memoize } from "../machines/conversation/memoize.ts";
import type { Completion } from "../machines/task/task.events.ts";
import {
  type ActorInputs,
  actorsOfKinds,
  type EdgeActors,
  type EdgeLogic,
} from "../machines/task/task.setup.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { Browser } from "../ports/browser.ts";
import type { CodebaseIndex } from "../ports/codebase-index.ts";
import type { EditorSource } from "../ports/editor.ts";
import type { ChatModel } from "../ports/model.ts";
import type { Shell } from "../ports/shell.ts";
import type { SkillList, Skills } from "../ports/skills.ts";
import type { SubtaskPort } from "../ports/subtasks.ts";
import type { RuleFile, Workspace } from "../ports/workspace.ts";
import { selectActiveIntent } from "../tools/builtin/select-active-intent.ts";
import type { Hook } from "../tools/hook.ts";
import { assertHooks } from "../tools/hook-list.ts";
import type { ReadIntents } from "../tools/intents/intent.ts";
import { createModes, type Modes } from "../tools/modes/modes.ts";
import { validateToolUse } from "../tools/modes/validate-tool-use.ts";
import type { Policy } from "../tools/policy/policy.ts";
import type { TraceContext } from "../tools/ports.ts";
import { createRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { WriteRecording } from "../tools/write-recording.ts";
import { askActor, type Expiry } from "./ask/ask.ts";
import type { OpenAsks } from "./ask/open-asks.ts";
import type { CallTracker } from "./calls/call-tracker.ts";
import type { KnownVersions } from "./calls/known-versions.ts";
import { type CheckpointsPort, checkpointActor } from "./checkpoint.ts";
import type { MentionSources } from "./context/attachments.ts";
import { contextActor } from "./context/context.ts";
import { intentPart } from "./context/intent-context.ts";
import { systemPrompt } from "./context/system-prompt.ts";
import { hookActor } from "./hooks/hook-actor.ts";
import { condenseActor } from "./llm/condense-actor.ts";
import { llmActor } from "./llm/llm-actor.ts";
import type { LlmOptions } from "./llm/request-actor.ts";
import { openingActor } from "./opening.ts";
import type { Edge } from "./protocol/edge.ts";
import { amendedArguments } from "./review/amended.ts";
import { type JudgeStart, reviewActor } from "./review/review.ts";
import { invalidSelection } from "./selection.ts";
import { subtaskActor } from "./subtask/subtask.ts";
import { timerActor } from "./timer.ts";
import { timedIndex } from "./tool/timed-index.ts";
import { toolActor } from "./tool/tool.ts";

export interface EdgeOptions {
  /** The standard model. */
  readonly model: ChatModel;
  /** The other models by profile. Default: none. */
  readonly profiles?: Readonly<Record<string, ChatModel>> | undefined;
  readonly tools: readonly Tool[];
  /**
   * Returns tools that change while the task runs; the same list until one of them changes. One with a name of `tools` is
   * left out. Default: none.
   */
  readonly dynamicTools?: (() => readonly Tool[]) | undefined;
  /** Default: the built-in modes. */
  readonly modes?: Modes | undefined;
  readonly policy: Policy;
  /** Policies over time, which judge a call that is about to start. Default: none. */
  readonly judgeStart?: JudgeStart | undefined;
  readonly workspace: Workspace;
  /** Whether the task has a workspace: without one, no request says anything of the system it runs on. Default true. */
  readonly hasWorkspace?: boolean;
  /** Replaces the role of the mode in the system prompt. Default: none. */
  readonly systemPrompt?: string | undefined;
  /** The editor that the task runs in. Default: none. */
  readonly editor?: EditorSource | undefined;
  readonly shell: Shell;
  /** The open asks, which clients answer. */
  readonly asks: OpenAsks;
  /** Owns what this process knows of the tool calls of the task. */
  readonly calls: CallTracker;
  /** Which asks expire, and the answer they get. Default: none. */
  readonly expiry?: ((ask: ActorInputs["ask"]) => Expiry | undefined) | undefined;
  /** Parts of the system prompt after the standard ones. */
  readonly instructions?: readonly string[] | undefined;
  /** Where the mentions in texts of the user are looked up, and their limits. Default: the workspace alone. */
  readonly mentions?: Omit<MentionSources, "workspace"> | undefined;
  /** The user's own rules, for all workspaces. Default: none. */
  readonly userRules?: (() => Promise<readonly RuleFile[]>) | undefined;
  /** The skills of the task. Without any, a tool that requires skills is not offered. Default: none. */
  readonly skills?: Skills | undefined;
  /** The tool results that the model can read again. Without it, a tool that requires them is not offered. Default: none. */
  readonly artifacts?: Artifacts | undefined;
  /** Finds code by its meaning. Without it, a tool that requires an index is not offered. Default: none. */
  readonly codebaseIndex?: CodebaseIndex | undefined;
  /** The browser of the task. Without it, a tool that requires one is not offered. Default: none. */
  readonly browser?: Browser | undefined;
  /** Records the files that a call changes. Default: they are not recorded. */
  readonly recording?: WriteRecording | undefined;
  /** The trace context of a running call. Default: none. */
  readonly traceContext?: ((callId: string) => TraceContext | undefined) | undefined;
  /** Opens the checkpoints of the workspace. Default: no checkpoints. */
  readonly checkpoints?: CheckpointsPort | undefined;
  /** The hooks of the task, and its id, which they get. Default: none. */
  readonly hooks?: { readonly taskId: string; readonly list: readonly Hook[] } | undefined;
  /** Runs subtasks. Default: every subtask fails. */
  readonly subtasks?: SubtaskPort | undefined;
  /** What completes the task: with `end_turn` the tool `attempt_completion` is not offered. Default `end_turn`. */
  readonly completion?: Completion | undefined;
  /** The completion tool of the current run, in place of that of `tools`: the run completes with it only. */
  readonly resultTool?: (() => Tool | undefined) | undefined;
  /** Whether this is a subtask, whose completion the policy may accept and whose prompt has no mentions. Default false. */
  readonly isSubtask?: boolean;
  /** Reads the intents of the workspace. With it, the task is offered select_active_intent. Default: no intents. */
  readonly intents?: ReadIntents | undefined;
  /** The versions of files that the task knows, which outlive its passivation. With it, no changed file is overwritten. */
  readonly versions?: KnownVersions | undefined;
  /** Limits of one response, and how often the task is notified of it. */
  readonly llm?: LlmLimits | undefined;
}

/** The optional limits of {@link LlmOptions}. */
export type LlmLimits = Pick<
  LlmOptions,
  "frameMs" | "idleTimeoutMs" | "previewBytes" | "countTimeoutMs" | "answerMaxChars"
>;

/** Creates the logic of an edge actor, each time it is started. */
export type EdgeActorCreators = { readonly [K in keyof ActorInputs]: () => EdgeLogic<K> };

const allOf = (creators: EdgeActorCreators): EdgeActors => actorsOfKinds((kind) => creators[kind]());

/** Edge of actors that only read: their results have no effect before the machine decides. */
const startNow: Edge["release"] = (start) => start();

/**
 * Creates the standard edge actors of one task when they start, so that a task at rest holds that of its ask only.
 * @throws ToolError if two tools have the same name; `bad_hook`
 */
export class EdgeActorFactory implements EdgeActorCreators {
  readonly #edge: Edge;
  readonly #options: EdgeOptions;
  /** Read once for the same tools and mode: a prompt that changes between requests is not served from the cache. */
  #head: RequestHead | undefined;
  /** It remembers what it has reported. */
  #checkpoint: EdgeLogic<"checkpoint"> | undefined;

  constructor(edge: Edge, options: EdgeOptions) {
    registryOf(options.tools);
    if (options.hooks !== undefined) assertHooks(options.hooks.list);
    this.#edge = edge;
    this.#options = options;
  }

  opening(): EdgeLogic<"opening"> {
    return openingActor(this.#edge);
  }

  context(): EdgeLogic<"context"> {
    const { workspace, hasWorkspace = true, editor, calls, mentions = {}, isSubtask = false } = this.#options;
    const registry = registryOf(this.#given);
    return contextActor(this.#readingEdge, {
      workspace,
      hasWorkspace,
      editor,
      registry,
      outcomes: calls,
      mentions,
      isSubtask,
    });
  }

  condense(): EdgeLogic<"condense"> {
    return condenseActor(this.#edge, this.#llmOptions);
  }

  llm(): EdgeLogic<"llm"> {
    return llmActor(this.#edge, this.#llmOptions);
  }

  review(): EdgeLogic<"review"> {
    const { policy, judgeStart, workspace, shell, subtasks, intents, isSubtask = false } = this.#options;
    const { versions } = this.#options;
    // Earlier events are judged once they are durable.
    return reviewActor(judgeStart === undefined ? this.#readingEdge : this.#edge, {
      registry: registryOf(this.#tools),
      offered: async (mode) => (await this.#readHead(mode)).offered,
      modes: this.#modes,
      policy,
      judgeStart,
      workspace,
      shell: shell.program,
      ...(subtasks?.unavailable !== undefined && { subtasksUnavailable: subtasks.unavailable }),
      isSubtask,
      ...(intents !== undefined && { intents }),
      ...(versions !== undefined && { changedOf: (files) => versions.changedOf(files) }),
    });
  }

  tool(): EdgeLogic<"tool"> {
    const { workspace, shell, skills, artifacts, codebaseIndex, browser, recording, traceContext, calls } =
      this.#options;
    return toolActor(this.#edge, {
      registry: registryOf(this.#given),
      workspace,
      shell,
      skills,
      artifacts,
      codebaseIndex: codebaseIndex && timedIndex(this.#edge.clock, codebaseIndex),
      browser,
      recording,
      traceContext,
      reports: calls,
      stopped: calls,
      fileAccess: this.#options.versions,
    });
  }

  ask(): EdgeLogic<"ask"> {
    const { asks, expiry } = this.#options;
    return askActor(this.#edge, {
      asks,
      invalid: (answer) => invalidSelection(answer, this.#modes),
      amend: (call, amendment) => amendedArguments(registryOf(this.#tools), call, amendment),
      ...(expiry !== undefined && { expiry }),
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

  hook(): EdgeLogic<"hook"> {
    const { hooks: { taskId, list } = NO_HOOKS, workspace, calls } = this.#options;
    return hookActor(this.#edge, {
      taskId,
      hooks: list,
      registry: registryOf(this.#tools),
      workspace,
      stopped: calls,
    });
  }

  /** The standard actors, each for all its starts. */
  all(): EdgeActors {
    return allOf(this);
  }

  get #llmOptions(): LlmOptions {
    const { llm, model, profiles, intents = NO_INTENTS } = this.#options;
    return {
      ...llm,
      model,
      ...(profiles !== undefined && { profiles }),
      tools: this.#tools,
      offered: async (mode) => (await this.#readHead(mode)).offered,
      system: async (mode, intent) => {
        const { system } = await this.#readHead(mode);
        return intent === undefined ? system : [...system, await intentPart(intent, intents)];
      },
      permits: (mode, tool) => isPermitted(this.#modes, mode, tool),
    };
  }

  get #readingEdge(): Edge {
    return { ...this.#edge, release: startNow };
  }

  /** The tools of the task as they are now. */
  get #given(): readonly Tool[] {
    const { tools, dynamicTools, intents } = this.#options;
    const own = intents === undefined ? tools : joined(tools)(INTENT_TOOLS);
    return dynamicTools === undefined ? own : joined(own)(dynamicTools());
  }

  get #tools(): readonly Tool[] {
    const tool = this.#options.resultTool?.();
    return tool === undefined ? this.#given : toolsWith(tool)(this.#given);
  }

  get #completion(): Completion {
    const { completion = "end_turn", resultTool } = this.#options;
    return resultTool?.() === undefined ? completion : "tool";
  }

  /** A call of the completion tool is understood without it: the conversation may have earlier ones. */
  get #completing(): readonly Tool[] {
    return this.#completion === "tool" ? this.#tools : withoutCompletion(this.#tools);
  }

  get #modes(): Modes {
    return this.#options.modes ?? BUILTIN;
  }

  #readHead(mode: string): Promise<HeadParts> {
    const tools = this.#completing;
    if (this.#head?.tools !== tools || this.#head.mode !== mode)
      this.#head = { tools, mode, parts: this.#createHead(tools, mode, this.#completion) };
    return this.#head.parts;
  }

  async #createHead(tools: readonly Tool[], mode: string, completion: Completion): Promise<HeadParts> {
    const {
      workspace,
      hasWorkspace = true,
      systemPrompt: base,
      shell,
      userRules,
      artifacts,
      codebaseIndex,
      browser,
      instructions = [],
    } = this.#options;
    const skills = await this.#listSkills(tools);
    const readable = artifacts === undefined ? withoutArtifacts(tools) : tools;
    const findable = codebaseIndex === undefined ? withoutIndex(readable) : readable;
    const visible = browser === undefined ? withoutBrowser(findable) : findable;
    const usable = skills.skills.length > 0 ? visible : withoutSkills(visible);
    const offered = permittedIn(this.#modes)(usable)(mode);
    const prompt = {
      base,
      mode: this.#modes.find(mode),
      modes: this.#modes.list,
      tools: offered,
      completion,
      workspace: hasWorkspace ? workspace.root : undefined,
      shell: shell.program,
      userRules: (await userRules?.()) ?? [],
      rules: hasWorkspace ? await workspace.projectRules() : [],
      skills,
    };
    return { offered, system: [...systemPrompt(prompt), ...instructions] };
  }

  async #listSkills(tools: readonly Tool[]): Promise<SkillList> {
    const { skills } = this.#options;
    return skills !== undefined && tools.some(requiresSkills) ? skills.list() : NO_SKILLS;
  }
}

interface RequestHead {
  readonly tools: readonly Tool[];
  readonly mode: string;
  readonly parts: Promise<HeadParts>;
}

/** What a request has beside the conversation. */
interface HeadParts {
  readonly offered: readonly Tool[];
  readonly system: readonly string[];
}

const BUILTIN = createModes();

const isPermitted = (modes: Modes, mode: string, tool: Pick<Tool, "name" | "group">): boolean =>
  validateToolUse({ modes, mode, tool }) === undefined;

/** One list for all tasks with the same modes, tools and mode. */
const permittedIn = memoize((modes: Modes) =>
  memoize((tools: readonly Tool[]) => {
    const byMode = new Map<string, readonly Tool[]>();
    return (mode: string): readonly Tool[] => {
      const known = byMode.get(mode) ?? tools.filter((tool) => isPermitted(modes, mode, tool));
      // An unknown mode of an older journal is not kept.
      if (modes.find(mode) !== undefined) byMode.set(mode, known);
      return known;
    };
  }),
);

const NO_HOOKS = { taskId: "", list: [] };
const NO_INTENTS: ReadIntents = async () => [];
const INTENT_TOOLS: readonly Tool[] = [selectActiveIntent];

const NO_SKILLS: SkillList = { skills: [], invalid: [], cut: false };

const requiresSkills = ({ requires }: Tool): boolean => requires === "skills";

/** The tools without those that require something: one list for all tasks with the same tools. */
const without = (what: NonNullable<Tool["requires"]>) =>
  memoize((tools: readonly Tool[]): readonly Tool[] => tools.filter(({ requires }) => requires !== what));
const withoutArtifacts = without("artifacts");
const withoutIndex = without("index");
const withoutBrowser = without("browser");
const withoutSkills = without("skills");

/** One list for all tasks with the same tools. */
const withoutCompletion = memoize((tools: readonly Tool[]): readonly Tool[] =>
  tools.filter(({ ask }) => ask !== "completion_result"),
);

/** The tools with another completion tool: one list for each. */
const toolsWith = memoize((completion: Tool) =>
  memoize((tools: readonly Tool[]): readonly Tool[] => [...withoutCompletion(tools), completion]),
);

/** One list for all tasks with the same lists. */
const joined = memoize((tools: readonly Tool[]) =>
  memoize((dynamic: readonly Tool[]): readonly Tool[] => {
    const { find } = registryOf(tools);
    return [...tools, ...dynamic.filter(({ name }) => find(name) === undefined)];
  }),
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
