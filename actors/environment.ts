import type { Controller } from "../control/runtime/controller.ts";
import type { Completion } from "../machines/task/task.events.ts";
import type { ActorInputs } from "../machines/task/task.setup.ts";
import type { StartJudgement } from "../machines/tool-call/call.ts";
import type { TaskIntent } from "../machines/tool-call/intent.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { BackgroundSubtasks } from "../ports/background-subtasks.ts";
import type { Browser } from "../ports/browser.ts";
import type { CheckpointsPort } from "../ports/checkpoints.ts";
import type { CodebaseIndex } from "../ports/codebase-index.ts";
import type { EditorSource } from "../ports/editor.ts";
import type { ChatModel } from "../ports/model.ts";
import type { Shell } from "../ports/shell.ts";
import type { Skills } from "../ports/skills.ts";
import type { SubtaskFiles } from "../ports/subtask-files.ts";
import type { SubtaskPort } from "../ports/subtasks.ts";
import type { RuleFile, Workspace } from "../ports/workspace.ts";
import type { Hook } from "../tools/hook.ts";
import type { ReadIntents } from "../tools/intents/intent.ts";
import type { Modes } from "../tools/modes/modes.ts";
import type { Policy, PolicyCall, PolicyFacts } from "../tools/policy/policy.ts";
import type { TraceContext } from "../tools/ports.ts";
import type { Tool } from "../tools/tool.ts";
import type { WriteRecording } from "../tools/write-recording.ts";
import type { SystemPrompt } from "../wire/journal/record.ts";
import type { Expiry } from "./ask/expiry.ts";
import type { OpenAsks } from "./ask/open-asks.ts";
import type { CallTracker } from "./calls/call-tracker.ts";
import type { KnownVersions } from "./calls/known-versions.ts";
import type { CallOutcomes, CallReports, FileAccess, FileChanges, StoppedEffects } from "./calls/roles.ts";
import type { MentionSources } from "./context/attachments.ts";
import type { EnvironmentLimits } from "./context/environment-limits.ts";
import type { LlmLimits } from "./llm/limits.ts";

/** The options of the edge actors of one task. */
export interface EdgeOptions {
  /** The standard model, of requests without a profile. */
  readonly model: ChatModel;
  /** The other models, by the profile that a request names. Default: none. */
  readonly profiles?: Readonly<Record<string, ChatModel>> | undefined;
  readonly tools: readonly Tool[];
  /**
   * Returns tools that change while the task runs; the same list until one of them changes. One with a name of `tools` is
   * left out. Default: none.
   */
  readonly dynamicTools?: (() => readonly Tool[]) | undefined;
  /** Returns the part of all tools that the task may use; one list for the same tools. Default: all. */
  readonly restrictTools?: ((all: readonly Tool[]) => readonly Tool[]) | undefined;
  /** Default: the built-in modes. */
  readonly modes?: Modes | undefined;
  readonly policy: Policy;
  /** Policies over time, which judge a call that is about to start by what happened until now. Never rejects. Default: none. */
  readonly judgeStart?: ((call: PolicyCall, facts: PolicyFacts) => Promise<StartJudgement>) | undefined;
  readonly workspace: Workspace;
  /** Whether the task has a workspace: without one, no request says anything of the system it runs on. Default true. */
  readonly hasWorkspace?: boolean;
  /** Limits of the environment details of a request. */
  readonly environmentLimits?: Partial<EnvironmentLimits> | undefined;
  /** Replaces the role of the mode in the system prompt, or all of it. Default: none. */
  readonly systemPrompt?: SystemPrompt | undefined;
  /** The editor that the task runs in: each request reads it. Default: none. */
  readonly editor?: EditorSource | undefined;
  readonly shell: Shell;
  /** The open asks, which clients answer. */
  readonly asks: Pick<OpenAsks, "add">;
  /** Returns when an ask expires, and the answer that it then gets; undefined for an ask that waits. Default: all wait. */
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
  /** The hooks of the task, in the order in which they run, and what they get of it. Default: none. */
  readonly hooks?:
    | { readonly taskId: string; readonly dataDir?: string; readonly list: readonly Hook[] }
    | undefined;
  /** The protocol that controls the task, with its functions, and the task's id. Default: none. */
  readonly control?: { readonly taskId: string; readonly controller: Controller } | undefined;
  /** Runs subtasks. Default: every subtask fails. */
  readonly subtasks?: SubtaskPort | undefined;
  /** The files of subtasks that work in worktrees or copies. Without it, tools that merge them are not offered. Default: none. */
  readonly subtaskFiles?: SubtaskFiles | undefined;
  /** The subtasks that work in the background. Without it, tools for them are not offered. Default: none. */
  readonly backgroundSubtasks?: BackgroundSubtasks | undefined;
  /**
   * The condition that completes the task: with `end_turn` the tool `attempt_completion` is not offered. Default `end_turn`.
   */
  readonly completion?: Completion | undefined;
  /** The completion tool of the current run, in place of the one in `tools`: the run completes with it only. */
  readonly resultTool?: (() => Tool | undefined) | undefined;
  /** Whether this is a subtask, whose completion the policy may accept and whose prompt has no mentions. Default false. */
  readonly isSubtask?: boolean;
  /** Reads the intents of the workspace. With it, the task is offered select_active_intent. Default: no intents. */
  readonly intents?: ReadIntents | undefined;
  /** Limits of one response, and how often the task is notified of it. */
  readonly llm?: LlmLimits | undefined;
  /** Owns what this process knows of the tool calls of the task. */
  readonly calls: CallTracker;
  /** The versions of files that the task knows, which outlive its passivation. With it, no changed file is overwritten. */
  readonly versions?: KnownVersions | undefined;
}

/** The options that own state. An actor gets a role of an owner. */
type Owners = "calls" | "versions";

/**
 * The environment that the edge actors of one task share. Each member is readonly data, a function, or a port: an actor can't
 * pass anything to another through a member, except by what the owner of a port does.
 */
export interface TaskEnvironment extends Omit<EdgeOptions, Owners> {
  /** The part of a request in a mode beside the conversation. With the intent of the task, its part is the last one. */
  readonly head: (mode: string, intent?: TaskIntent) => Promise<RequestHead>;
  readonly reports: CallReports;
  readonly outcomes: CallOutcomes;
  readonly stopped: StoppedEffects;
  /** Default: the versions of files are not compared. */
  readonly fileAccess?: FileAccess | undefined;
  /** Default: the versions of files are not compared. */
  readonly fileChanges?: FileChanges | undefined;
}

/** The members of its environment that an actor requires. */
export type Requires<K extends keyof TaskEnvironment> = Pick<TaskEnvironment, K>;

/** The part of a request beside the conversation. */
export interface RequestHead {
  /** The tools that the mode permits, and that have all they require. */
  readonly offered: readonly Tool[];
  /** The parts of the system prompt, most stable first. */
  readonly system: readonly string[];
}
