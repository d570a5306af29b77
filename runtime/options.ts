import { z } from "zod";
import type { Expiry } from "../actors/ask/expiry.ts";
import { ENVIRONMENT_LIMIT_TABLE, type EnvironmentLimits } from "../actors/context/environment-limits.ts";
import { MENTION_LIMIT_TABLE, type MentionLimits } from "../actors/context/mention-limits.ts";
import type { LlmLimits } from "../actors/llm/limits.ts";
import type { Edge } from "../actors/protocol/edge.ts";
import { isModelName, MODEL_NAMES, type ModelName, modelOf } from "../adapters/providers/named-model.ts";
import { hostPatternError, type SandboxOptions } from "../adapters/sandbox/options.ts";
import { assertController, type Controller } from "../control/runtime/controller.ts";
import { memoize } from "../machines/conversation/memoize.ts";
import type { Limit, LimitTable } from "../machines/task/limit-table.ts";
import { DEFAULT_LIMITS, TASK_LIMIT_TABLE, type TaskLimits } from "../machines/task/limits.ts";
import { DEFAULT_PROFILE } from "../machines/task/profile.ts";
import type { QueueDelivery, StandingWakeUp, SubtasksAtCompletion } from "../machines/task/task.context.ts";
import type { Completion, ModelRef } from "../machines/task/task.events.ts";
import type { ActorInputs, EdgeActors } from "../machines/task/task.setup.ts";
import { wakeUpFault } from "../machines/task/wake.ts";
import type { Grant } from "../machines/tool-call/grant.ts";
import type { TaskIntent } from "../machines/tool-call/intent.ts";
import type { PermissionMode, SessionRule } from "../machines/tool-call/permissions.ts";
import type { Restriction } from "../machines/tool-call/restriction.ts";
import { SUBTASKS_AT_COMPLETION } from "../ports/background-subtasks.ts";
import type { Browser } from "../ports/browser.ts";
import type { Clock } from "../ports/clock.ts";
import type { CodebaseIndex } from "../ports/codebase-index.ts";
import type { EditorPort, EditorWorkspace } from "../ports/editor.ts";
import { EDITOR_LIMIT_TABLE } from "../ports/editor-limits.ts";
import type { JournalDriver } from "../ports/journal.ts";
import type { ChatModel } from "../ports/model.ts";
import type { TaskObjects } from "../ports/objects.ts";
import type { ProblemsPort } from "../ports/repository.ts";
import { ISOLATION_KINDS, type IsolationKind } from "../ports/subtask-files.ts";
import { isChosenId } from "../store/task-history/task-folder.ts";
import type { JsonSchema } from "../tools/builtin/result-schema.ts";
import { messageOf, ToolError } from "../tools/error.ts";
import type { Hook } from "../tools/hook.ts";
import { assertHooks } from "../tools/hook-list.ts";
import type { OpenIntents } from "../tools/intents/intent.ts";
import type { Mode } from "../tools/modes/mode.ts";
import { createModes } from "../tools/modes/modes.ts";
import { ruleError } from "../tools/policy/permission-rule.ts";
import type { Policy } from "../tools/policy/policy.ts";
import type { TraceContext } from "../tools/ports.ts";
import { assertConsistent } from "../tools/temporal/consistency.ts";
import { TemporalError } from "../tools/temporal/error.ts";
import { compilePolicies } from "../tools/temporal/monitor.ts";
import type { TemporalPolicy } from "../tools/temporal/policy.ts";
import { PolicySchema } from "../tools/temporal/policy-file.ts";
import type { Tool } from "../tools/tool.ts";
import { EXPECTED_HOST } from "../tools/web/host.ts";
import type { SystemPrompt } from "../wire/journal/record.ts";
import { permissionModeSchema, sessionRuleSchema } from "../wire/permissions.ts";
import { BREAKPOINT_LIMIT_TABLE, type BreakpointLimits } from "./breakpoints/breakpoints.ts";
import type { LawCheck } from "./breakpoints/macrosteps.ts";
import { HostError } from "./task/errors.ts";
import type { PermissionChange } from "./task/permission-change.ts";
import { assertMode } from "./task/selection.ts";
import { formatIssues, USER_INPUT_LIMIT_TABLE, type UserInputLimits } from "./task/user-input.ts";
import type { ShellSettings } from "./task-shell.ts";

/** Options of a host. All are optional. */
export interface HostOptions {
  /** Data directory of the journals. Default `~/.signalbox`. */
  readonly dataDir?: string;
  /** The journal of a task. Default: one file a task, in `dataDir`. */
  readonly journal?: (taskId: string) => JournalDriver;
  /**
   * The objects of a task, in the store that also has its journal: full outputs of commands, and checkpoints. Default: files in
   * `dataDir`.
   */
  readonly objects?: (taskId: string) => TaskObjects;
  /** The clock; pass another one in tests. */
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
  /** Creates the ids of tasks and queued messages. Default: random UUIDs. */
  readonly newId?: () => string;
  /**
   * Time without a use after which a task that is at rest, or waits for an answer only, becomes passive: its actors and
   * buffers are released, and the next command, answer or read creates them again (law PASSIVE). Default 30,000.
   */
  readonly passivateAfterMs?: number;
  /** Tasks that keep their actors at once: beyond, those that were used least recently become passive. Default: all. */
  readonly maxResident?: number;
  /** Nesting depth of subtasks (L14). A deeper one is rejected, and the model gets the reason. 0: none. Default 5. */
  readonly subtaskDepth?: number;
  /**
   * Returns the trace context of a running tool call, such as `Telemetry.traceContextOf`. Requests to MCP servers and other
   * tools carry it (docs/guide/telemetry.md). Default: none.
   */
  readonly traceContext?: (taskId: string, callId: string) => TraceContext | undefined;
  /**
   * Called with errors that no caller receives: a broken invariant, a listener that throws or rejects (without an id for
   * one of `opened$`). Default: thrown as uncaught.
   */
  readonly onError?: (error: unknown, taskId: string) => void;
}

/**
 * Selects the model of a task. `recorded`: the default model in its journal; undefined for a new task, and for a task that
 * recorded none.
 */
export type ModelSelector = (recorded: ModelRef | undefined) => ChatModel | ModelName;

/** The models of a task, each by its name. `Task.selectProfile` and the modes select one while the task runs. Subtasks have them as well. */
export interface TaskModels {
  /** The model at first, its name such as `anthropic/claude-sonnet-4-6`, or a function that selects it. */
  readonly default: ChatModel | ModelName | ModelSelector;
  /** The name of the default model for modes, fallbacks and `Task.selectProfile`. Default `default`. */
  readonly name?: string;
  /** The other models, or functions that select them. Default: none. */
  readonly named?: Readonly<Record<string, ChatModel | ModelName | ModelSelector>>;
  /** The name of a mode's model, by the mode's slug. Other modes have the one that the user selected, or the default one. */
  readonly byMode?: Readonly<Record<string, string>>;
  /**
   * By the name of a model: those that replace it, in order, while its endpoint fails after all retries. Default: none; a
   * person is asked.
   */
  readonly fallbacks?: Readonly<Record<string, readonly string[]>>;
  /** The names that a `new_task` call may give a subtask as its model. An empty list: none. Default: all, if there are several. */
  readonly offered?: readonly string[];
}

/** The permissions of a task: which calls run, and which are asked about or denied. */
export interface PermissionOptions {
  /**
   * The permission mode: what calls may do that no rule is about. The journal records each change, and a reopened task has
   * the recorded one. Default `ask`.
   */
  readonly level?: PermissionMode;
  /** Rules of the session, which `Task.changePermissions` replaces. Recorded as well. Default: none. */
  readonly rules?: readonly SessionRule[];
  /**
   * Policies over time, which only tighten the judge (docs/guide/temporal-policies.md), from `signalbox/temporal`, or from
   * files, by `readPolicies` of `signalbox/settings`. Default: none.
   */
  readonly policies?: readonly TemporalPolicy[];
  /** Decides which calls are allowed. Default: reads inside the workspace are allowed, a person is asked about the rest. */
  readonly judge?: Policy;
}

/** The options of a task's breakpoints. */
export interface DebuggingOptions {
  /** Limits of the breakpoints, and of the events that they hold. */
  readonly breakpoints?: Partial<BreakpointLimits>;
  /**
   * Laws that `breakpoints.set({ laws: true })` checks. Default: L1. `messageLaws` of `signalbox/verify` checks all laws
   * of messages, L1 to L6 and L8.
   */
  readonly laws?: LawCheck;
}

/** The option for the model of a task, or for its models. */
interface OneModel {
  /**
   * The model, its name such as `anthropic/claude-sonnet-4-6`, or a function that selects it: so a task can be opened with the
   * model that it had. The short form of `models: { default: model }`.
   */
  readonly model: ChatModel | ModelName | ModelSelector;
  readonly models?: never;
}
interface SeveralModels {
  /** The models, where the task has several (docs/guide/change-the-model.md). */
  readonly models: TaskModels;
  readonly model?: never;
}
export type ModelOptions = OneModel | SeveralModels;

/** Options of a new task: `model`, or `models` where it has several, with {@link CommonTaskOptions}. */
export type TaskOptions = ModelOptions & CommonTaskOptions;

/** The options of a task besides its models. */
export interface CommonTaskOptions {
  /**
   * The folder that the tools may access, perhaps with the editor that has it open (docs/guide/editors.md). `false`: none.
   * Then no request says anything of the system, the shell or a folder, tools that work in a workspace are
   * refused, and the default tools are those that need none. Recorded.
   */
  readonly workspace: string | EditorWorkspace | false;
  /**
   * The first part of the system prompt, which replaces the role of the mode. `{ only }` replaces all parts: how to use tools,
   * the workspace, its rules, skills and modes. `instructions` and the intent are added in any case. Recorded. Default: the
   * role of the mode.
   */
  readonly systemPrompt?: SystemPrompt;
  /** The tools that the task has (docs/guide/tools.md). Default: the built-in tools. */
  readonly tools?: readonly Tool[];
  /**
   * Returns tools that change while the task runs, such as `McpServers.tools`: called before each request and call. It must
   * return the same list until one of them changes. One with a name of `tools` is left out. Default: none.
   */
  readonly dynamicTools?: () => readonly Tool[];
  /** Finds code by its meaning: the task is offered codebase_search. Default: none. */
  readonly codebaseIndex?: CodebaseIndex;
  /**
   * Creates the browser of the task, such as `systemBrowser` of `signalbox/adapters`: if its tools include browser_action,
   * the task is offered it. The browser is closed when the task settles. A subtask has one of its own. Default: none.
   */
  readonly browser?: () => Browser;
  /** The permissions of the task (docs/guide/policies.md). Subtasks have the same. */
  readonly permissions?: PermissionOptions;
  /**
   * Decide before requests and tool calls, see results, and are notified at rest, in this order (docs/guide/hooks.md).
   * Subtasks have them as well. Default: none.
   */
  readonly hooks?: readonly Hook[];
  /**
   * The protocol that controls the task, with its monitors (docs/guide/control.md). A reopened task needs the recorded one.
   * It starts no subtasks. Default: none.
   */
  readonly control?: Controller;
  /**
   * Opens the intents of the workspace, such as `openIntents` of `signalbox/settings`: no call that may have an effect runs
   * before one is selected, and none outside of what it owns (docs/guide/intents.md). Default: no intents.
   */
  readonly intents?: OpenIntents;
  /** Additional parts of the system prompt, after the standard ones. */
  readonly instructions?: readonly string[];
  /**
   * Folder of the user's own `AGENTS.md` and `skills` (docs/guide/instructions.md). Default: none; the command line passes
   * `~/.config/signalbox`.
   */
  readonly configDir?: string;
  /** Limits of the task (L14). Reaching one is an ask or an error that names it. */
  readonly limits?: Partial<TaskLimits>;
  /**
   * The amounts that the task and its subtasks may spend together (docs/guide/subtasks.md). The journal records them, and a
   * reopened task has the recorded ones. Default: no budget; `limits` count for each task.
   */
  readonly budget?: Grant;
  /** Limits of one prompt, answer or queued message. */
  readonly inputLimits?: Partial<UserInputLimits>;
  /** Options of the task's breakpoints. */
  readonly debugging?: DebuggingOptions;
  /** Limits of one response of the model, and the interval of its deltas. */
  readonly llm?: LlmLimits;
  /**
   * The condition that completes the task. `end_turn`: a response without a tool call; its text is the result. `tool`: a call
   * of `attempt_completion` only. Default `end_turn`. A subtask always completes with the tool: a policy reviews its result.
   */
  readonly completion?: Completion;
  /**
   * When queued messages are delivered. `all`: all of them with the next request. `one`: each continues the task on its own,
   * after the completion before it. Default `all`.
   */
  readonly queueDelivery?: QueueDelivery;
  /**
   * The message with which a new task continues at each interval while it is at rest (docs/guide/wake-ups.md). The journal
   * records the next due time, and a reopened task has the recorded ones. Default: none.
   */
  readonly wakeUp?: StandingWakeUp;
  /** Whether a failed request is retried without asking. Default true. */
  readonly autoRetry?: boolean;
  /** The policy's answer to an ask after a delay; undefined for none. Default: none. */
  readonly expiry?: (ask: ActorInputs["ask"]) => Expiry | undefined;
  /** Edge actors that replace standard ones. */
  readonly actors?: (standard: EdgeActors, edge: Edge) => Partial<EdgeActors>;
  /** The task's id and folder name: letters, digits, `.`, `_` and `-`. Default: a new id. */
  readonly id?: string;
  /** The slug of the first mode. Default `code`. */
  readonly mode?: string;
  /** The shell that runs commands. Default: `/bin/sh`. */
  readonly shell?: ShellSettings;
  /**
   * Run each command in a sandbox with these accesses (docs/guide/sandbox.md). A task without one that works here is rejected
   * with a `SandboxError`. Subtasks have the same. Default: commands run without a sandbox.
   */
  readonly sandbox?: SandboxOptions;
  /** Modes besides the built-in ones, which they can replace (docs/guide/modes.md). */
  readonly modes?: readonly Mode[];
  /**
   * Reads the problems that `@problems` attaches (docs/guide/mentions.md). Default: the diagnostics of the editor, or a note
   * that there is no source.
   */
  readonly problems?: ProblemsPort;
  /** Limits of what the mentions of one request attach. */
  readonly mentionLimits?: Partial<MentionLimits>;
  /** Limits of the environment details of one request (docs/guide/environment.md): `{ fileNames: 0 }` lists no files. */
  readonly environmentLimits?: Partial<EnvironmentLimits>;
  /** Whether the workspace is snapshotted before a turn's first effect (docs/guide/checkpoints.md). Default false. */
  readonly checkpoints?: boolean;
  /**
   * The files that subtasks work on. `shared`: the files of the task. `worktree`: each subtask has a git worktree with the
   * present files of the task, or a copy where there is no git; `copy`: always a copy. The result of a subtask names its changes,
   * and the task merges or declines them by a tool (docs/guide/isolated-files.md). A call of new_task may choose stricter ones,
   * also with `shared`. Default: `shared`, without a choice.
   */
  readonly isolation?: IsolationKind;
  /**
   * Lets subtasks work in the background while the task goes on (docs/guide/subtasks.md), and what happens to them when it
   * completes. `wait`: it completes once all have ended and the model has their results. `cancel`: they are cancelled. Subtasks
   * have it as well. Default: the task waits for each subtask.
   */
  readonly backgroundSubtasks?: SubtasksAtCompletion;
  /**
   * An abort cancels the task as long as it is open. Before that, it rejects its creation or opening; before its first
   * run, it closes the task.
   */
  readonly signal?: AbortSignal;
}

/** Options of a subtask. */
export type SubtaskOptions = TaskOptions & Inherited;

interface Inherited {
  /** The profile that the user selected for the parent: modes without one have it. */
  readonly chosenProfile?: string;
  /** The intent of the parent. */
  readonly intent?: TaskIntent;
  /** The name that the parent's call gives the subtask. */
  readonly title?: string;
  /** The profile that the parent's call names. */
  readonly namedProfile?: string;
  /** The restrictions of the task, the one of its root's call first (law GRANT). Default: none. */
  readonly restrictions?: readonly Restriction[];
  /** Accepts the result of the task. Default: the result is a text. */
  readonly resultSchema?: JsonSchema;
}

/** Options of a task whose model is selected. Its subtasks inherit them. */
export interface AssemblyOptions extends Omit<CommonTaskOptions, "signal">, Inherited {
  readonly models: SelectedModels;
}

/** The models of a task, selected and opened. */
export interface SelectedModels extends Required<TaskModels> {
  readonly default: ChatModel;
  readonly named: Readonly<Record<string, ChatModel>>;
}

/** Options of a reopened task that its journal does not hold. Default workspace: the one in the journal. */
export type ReopenOptions = ModelOptions &
  Omit<CommonTaskOptions, "id" | "workspace" | "mode"> &
  Partial<Pick<CommonTaskOptions, "workspace">>;

const fn = z.custom((value) => typeof value === "function", "expected a function");
const text = z.string().min(1);
const count = z.int().nonnegative();
const amount = z.number().nonnegative();

/** An object with these keys only. The error of an unknown key lists the known ones. */
const options = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown ${issue.keys.join(", ")}; expected ${Object.keys(shape).join(", ")}`
        : undefined,
  });

function limitSchema({ unit, min = 0 }: Limit): z.ZodType {
  if (unit === "share of one") return z.number().positive().max(1);
  return unit === "ms" || unit === "US dollars" || unit === "share" ? amount : z.int().min(min);
}
/** Some of the limits in a table. */
const limitsIn = (table: LimitTable) =>
  options(
    Object.fromEntries(Object.entries(table).map(([name, limit]) => [name, limitSchema(limit)])),
  ).partial();

const budget = options({
  requests: count.optional(),
  tasks: count.optional(),
  depth: count.optional(),
  cost: amount.optional(),
} satisfies SchemaOf<Grant>);

type SchemaOf<T> = Record<keyof T, z.ZodType>;

const shell = options({
  path: text.optional(),
  withheldEnv: z.array(z.string()).optional(),
} satisfies SchemaOf<ShellSettings>);

const paths = z.array(text).optional();
const sandbox = options({
  hosts: z
    .array(z.string().refine((host) => hostPatternError(host) === undefined, `expected ${EXPECTED_HOST}`))
    .optional(),
  write: paths,
  read: paths,
  denyRead: paths,
  denyWrite: paths,
  allowCommands: z.boolean().optional(),
} satisfies SchemaOf<SandboxOptions>);

const llm = options({
  frameMs: amount.optional(),
  idleTimeoutMs: z.number().positive().optional(),
  previewBytes: count.optional(),
  countTimeoutMs: z.number().positive().optional(),
  answerMaxChars: count.optional(),
} satisfies SchemaOf<LlmLimits>);

const id = z
  .string()
  .refine(isChosenId, "expected 1 to 128 letters, digits, '.', '_' and '-', not beginning with '.'");

const model = z.object({
  id: z.string(),
  stream: fn,
  provider: z.string().optional(),
  endpoint: z.string().optional(),
  contextWindow: z.int().positive().optional(),
  countTokens: fn.optional(),
});

/** As a union, but the error names the invalid field of the schema that the value selects. */
const chosenBy = (schemaOf: (value: unknown) => z.ZodType) =>
  z.unknown().superRefine((value, context) => {
    const issues = schemaOf(value).safeParse(value).error?.issues ?? [];
    for (const { path, message } of issues) context.addIssue({ code: "custom", path: [...path], message });
  });
const modelName = z.string().refine(isModelName, `expected a model, or the name of one: ${MODEL_NAMES}`);
const modelOrName = chosenBy((value) => (typeof value === "string" ? modelName : model));
const modelOrSelector = chosenBy((value) => (typeof value === "function" ? fn : modelOrName));

const EDITOR_PORT: SchemaOf<EditorPort> = {
  readBuffer: fn.optional(),
  save: fn.optional(),
  openFiles: fn.optional(),
  terminals: fn.optional(),
  diagnostics: fn.optional(),
  runCommand: fn.optional(),
  gitStatus: fn.optional(),
};
/** An editor may be an object with other members as well. */
const editor = z
  .object(EDITOR_PORT)
  .refine(
    (port) => Object.values(port).some((member) => member !== undefined),
    `expected one or more of ${Object.keys(EDITOR_PORT).join(", ")}`,
  );
const editorWorkspace = options({
  root: text,
  editor,
  limits: limitsIn(EDITOR_LIMIT_TABLE).optional(),
} satisfies SchemaOf<EditorWorkspace>);
const workspace = chosenBy((value) => {
  if (value === false) return z.literal(false);
  return typeof value === "object" && value !== null ? editorWorkspace : text;
});

const systemPrompt = chosenBy((value) =>
  typeof value === "object" && value !== null ? options({ only: text }) : text,
);

const INDEX: SchemaOf<CodebaseIndex> = { search: fn, timeoutMs: z.number().positive().optional() };
/** An index may be an object with other members as well. */
const codebaseIndex = z.looseObject(INDEX);

function checkRules(
  { rules = [] }: { rules?: readonly SessionRule[] | undefined },
  context: z.RefinementCtx,
): void {
  for (const [at, { rule }] of rules.entries()) {
    const message = ruleError(rule);
    if (message !== undefined) context.addIssue({ code: "custom", path: ["rules", at, "rule"], message });
  }
}

const PERMISSION_CHANGE = {
  level: permissionModeSchema.optional(),
  rules: z.array(sessionRuleSchema).optional(),
} satisfies SchemaOf<PermissionChange>;

const permissionChange = options(PERMISSION_CHANGE).superRefine(checkRules);
const permissionOptions = options({
  ...PERMISSION_CHANGE,
  policies: z.array(PolicySchema).optional(),
  judge: fn.optional(),
} satisfies SchemaOf<PermissionOptions>).superRefine(checkRules);

const hooks = z.array(z.custom<Hook>((hook) => typeof hook === "object" && hook !== null, "expected a hook"));
const hookList = hooks.superRefine((list, context) => {
  try {
    assertHooks(list);
  } catch (error) {
    context.addIssue({ code: "custom", message: messageOf(error) });
  }
});

const controller = z
  .custom<Controller>((given) => typeof given === "object" && given !== null, "expected a controller")
  .superRefine((given, context) => {
    try {
      assertController(given);
    } catch (error) {
      context.addIssue({ code: "custom", message: messageOf(error) });
    }
  });

/** At most as long as a recorded text of an event. */
const profileName = z.string().min(1).max(64);

const TASK = {
  model: modelOrSelector.optional(),
  models: options({
    default: modelOrSelector,
    name: profileName.optional(),
    named: z.record(profileName, modelOrSelector).optional(),
    byMode: z.record(text, profileName).optional(),
    fallbacks: z.record(profileName, z.array(profileName)).optional(),
    offered: z.array(profileName).optional(),
  } satisfies SchemaOf<TaskModels>).optional(),
  workspace,
  systemPrompt: systemPrompt.optional(),
  tools: z.array(z.looseObject({ name: text })).optional(),
  dynamicTools: fn.optional(),
  codebaseIndex: codebaseIndex.optional(),
  browser: fn.optional(),
  hooks: hookList.optional(),
  control: controller.optional(),
  intents: fn.optional(),
  instructions: z.array(z.string()).optional(),
  configDir: text.optional(),
  limits: limitsIn(TASK_LIMIT_TABLE).optional(),
  budget: budget.optional(),
  inputLimits: limitsIn(USER_INPUT_LIMIT_TABLE).optional(),
  debugging: options({
    breakpoints: limitsIn(BREAKPOINT_LIMIT_TABLE).optional(),
    laws: fn.optional(),
  } satisfies SchemaOf<DebuggingOptions>).optional(),
  llm: llm.optional(),
  completion: z.enum(["end_turn", "tool"] satisfies Completion[]).optional(),
  queueDelivery: z.enum(["one", "all"] satisfies QueueDelivery[]).optional(),
  wakeUp: options({ everyMs: amount, message: text } satisfies SchemaOf<StandingWakeUp>).optional(),
  autoRetry: z.boolean().optional(),
  expiry: fn.optional(),
  actors: fn.optional(),
  id: id.optional(),
  mode: text.optional(),
  modes: z
    .array(
      z.looseObject({ slug: text, name: text, role: z.string(), permissions: z.array(z.looseObject({})) }),
    )
    .optional(),
  permissions: permissionOptions.optional(),
  shell: shell.optional(),
  sandbox: sandbox.optional(),
  problems: fn.optional(),
  mentionLimits: limitsIn(MENTION_LIMIT_TABLE).optional(),
  environmentLimits: limitsIn(ENVIRONMENT_LIMIT_TABLE).optional(),
  checkpoints: z.boolean().optional(),
  isolation: z.enum(ISOLATION_KINDS).optional(),
  backgroundSubtasks: z.enum(SUBTASKS_AT_COMPLETION).optional(),
  signal: z.looseObject({ aborted: z.boolean(), addEventListener: fn }).optional(),
} satisfies SchemaOf<TaskOptions>;
const ofOneKind = <S extends z.ZodType<{ model?: unknown; models?: unknown }>>(schema: S) =>
  schema.refine(({ model: one, models }) => (one === undefined) !== (models === undefined), {
    error: "expected either model or models. Name the model in models.default, or give the task model alone.",
  });

const task = ofOneKind(options(TASK));
const { id: _id, mode: _mode, ...REOPEN } = TASK;
const reopen = ofOneKind(options({ ...REOPEN, workspace: workspace.optional() }));

const clock = z.looseObject({ now: fn, after: fn });

const host = options({
  dataDir: text.optional(),
  journal: fn.optional(),
  objects: fn.optional(),
  clock: clock.optional(),
  random: fn.optional(),
  newId: fn.optional(),
  subtaskDepth: count.optional(),
  passivateAfterMs: amount.optional(),
  maxResident: count.optional(),
  traceContext: fn.optional(),
  onError: fn.optional(),
} satisfies SchemaOf<HostOptions>);

/** @throws HostError `OPTION_INVALID` naming each invalid option */
export const assertHostOptions = (given: unknown): void =>
  assert("The options of the host are invalid", host, given);

/** @throws HostError `OPTION_INVALID` naming each invalid option */
export const assertTaskOptions = (given: unknown): void =>
  assert("The options of the task are invalid", task, given);

/** @throws HostError `OPTION_INVALID` for a mode or a rule that does not exist */
export const assertPermissions = (given: unknown): void =>
  assert("The permissions are invalid", permissionChange, given);

/** @throws HostError `OPTION_INVALID` naming each invalid option */
export function assertReopenOptions(taskId: unknown, given: unknown): void {
  assert("The id of the task is invalid", id, taskId);
  assert("The options of the task are invalid", reopen, given);
}

/**
 * The options with the model that they select.
 *
 * @throws HostError `OPTION_INVALID` if the selector returns no model, no tool reads the artifacts, a mode is not valid, the
 * first one does not exist, the profile of a mode does not exist, or the wake-up exceeds a limit
 */
export function withModel(
  { signal: _signal, ...given }: SubtaskOptions,
  recorded: ModelRef | undefined,
): AssemblyOptions {
  assertArtifactTool(given);
  assertNoWorkspaceTools(given);
  assertModes(given);
  assertPolicies(given);
  assertWakeUp(given);
  const { model, models, ...others } = given;
  return { ...others, models: selectModels(models ?? { default: model }, recorded) };
}

function selectModels(given: TaskModels, recorded: ModelRef | undefined): SelectedModels {
  const { default: chosen, name = DEFAULT_PROFILE, named = {}, byMode = {}, fallbacks = {} } = given;
  const others = Object.keys(named);
  const { offered = others.length === 0 ? [] : [name, ...others] } = given;
  assertNames({ name, named, byMode, fallbacks, offered });
  const select = (model: TaskModels["default"]): ChatModel => selectModel(model, recorded);
  const models = Object.entries(named).map(([each, model]) => [each, select(model)] as const);
  return { default: select(chosen), name, named: Object.fromEntries(models), byMode, fallbacks, offered };
}

function selectModel(chosen: TaskModels["default"], recorded: ModelRef | undefined): ChatModel {
  const selected = typeof chosen === "function" ? chosen(recorded) : chosen;
  assert("The selected model is invalid", modelOrName, selected);
  return modelOf(selected);
}

/** Whether old tool results are sent as stubs, and the model can read them again. */
export const keepsArtifacts = ({
  limits: { artifactChars = 0 } = {},
}: Pick<TaskOptions, "limits">): boolean => artifactChars > 0;

/** Whether a tool of the task reads artifacts. */
export const readsArtifacts = ({ tools }: Pick<TaskOptions, "tools">): boolean =>
  tools === undefined || tools.some(({ requires }) => requires === "artifacts");

function assertArtifactTool(given: Pick<TaskOptions, "limits" | "tools">): void {
  if (!keepsArtifacts(given) || readsArtifacts(given)) return;
  throw new HostError(
    "OPTION_INVALID",
    "The options of the task are invalid: limits.artifactChars: expected a tool that requires artifacts, received none. Add read_artifact of builtinTools() to the tools, or leave the limit at 0.",
  );
}

/** Whether a tool works in a workspace. Tools of other groups may, but need none to be offered. */
export const needsWorkspace = ({ group, requires }: Pick<Tool, "group" | "requires">): boolean =>
  requires !== "artifacts" && (group === "read" || group === "edit" || group === "command");

function assertNoWorkspaceTools({ workspace, tools = [] }: Pick<TaskOptions, "workspace" | "tools">): void {
  const refused = workspace === false ? tools.filter(needsWorkspace).map(({ name }) => name) : [];
  if (refused.length > 0)
    throw invalid(
      `tools: expected none that works in a workspace, since workspace is false, received ${refused.join(", ")}. Remove them, or give the task a workspace.`,
    );
}

function assertModes({ mode, modes }: Pick<TaskOptions, "mode" | "modes">): void {
  try {
    const known = createModes(modes);
    if (mode !== undefined) assertMode(mode, known);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new HostError(
      "OPTION_INVALID",
      `The options of the task are invalid: modes: ${error.message}`,
      error,
    );
  }
}

function assertNames({
  name,
  named,
  byMode,
  fallbacks,
  offered,
}: Omit<Required<TaskModels>, "default">): void {
  if (Object.hasOwn(named, name))
    throw invalid(
      `models.named: expected no model ${name}, which is the name of models.default. Rename it, or give the default another models.name.`,
    );
  const names = [name, ...Object.keys(named)];
  const assertName = (where: string, given: string): void => {
    if (!names.includes(given))
      throw invalid(
        `models.${where}: expected one of ${names.join(", ")}, received ${given}. Add it to models.named.`,
      );
  };
  for (const [slug, given] of Object.entries(byMode)) assertName(`byMode.${slug}`, given);
  for (const [from, others] of Object.entries(fallbacks))
    for (const each of [from, ...others]) assertName(`fallbacks.${from}`, each);
  for (const each of offered) assertName("offered", each);
}

/** One compilation for all tasks with the same policies. @throws TemporalError */
export const compiledPolicies = memoize((policies: readonly TemporalPolicy[]) => {
  const compiled = compilePolicies(policies);
  assertConsistent(policies);
  return compiled;
});

function assertPolicies({
  permissions: { policies = [] } = {},
}: Pick<CommonTaskOptions, "permissions">): void {
  try {
    compiledPolicies(policies);
  } catch (error) {
    if (error instanceof TemporalError) throw invalid(`permissions.policies: ${error.message}`);
    throw error;
  }
}

function assertWakeUp({ wakeUp, limits }: Pick<CommonTaskOptions, "wakeUp" | "limits">): void {
  if (wakeUp === undefined) return;
  const fault = wakeUpFault({ wakeUps: [], limits: { ...DEFAULT_LIMITS, ...limits } }, wakeUp);
  if (fault !== undefined) throw invalid(`wakeUp: ${fault}`);
}

const invalid = (problem: string): HostError =>
  new HostError("OPTION_INVALID", `The options of the task are invalid: ${problem}`);

function assert(what: string, schema: z.ZodType, given: unknown): void {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new HostError("OPTION_INVALID", formatIssues(what, parsed.error));
}
