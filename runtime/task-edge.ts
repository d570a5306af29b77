import { CallTracker } from "../actors/calls/call-tracker.ts";
import type { EndedCall } from "../actors/calls/started-calls.ts";
import { EdgeActorFactory } from "../actors/edge-actors.ts";
import type { EdgeOptions } from "../actors/environment.ts";
import type { Edge } from "../actors/protocol/edge.ts";
import { openCheckpoints } from "../adapters/checkpoints/checkpoints.ts";
import { openSkills } from "../adapters/instructions/skills.ts";
import { readUserRules } from "../adapters/instructions/user-rules.ts";
import { gitRepository } from "../adapters/repository/git-repository.ts";
import { recordedContent } from "../machines/task/hook-points.ts";
import type { BackgroundSubtasks } from "../ports/background-subtasks.ts";
import type { Clock } from "../ports/clock.ts";
import type { EditorWorkspace } from "../ports/editor.ts";
import type { SubtaskFiles } from "../ports/subtask-files.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { Gate } from "../store/gate/gate.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import { withChoices } from "../tools/builtin/new-task.ts";
import { restrictedPolicy } from "../tools/judge/restricted.ts";
import { STANDARD_POLICY } from "../tools/judge/standard-policy.ts";
import type { Modes } from "../tools/modes/modes.ts";
import { toolFilter } from "../tools/restricted-tools.ts";
import type { Tool } from "../tools/tool.ts";
import type { FeatureEnvironment, ResidentFeature } from "./features/feature.ts";
import { type AssemblyOptions, type HostOptions, needsWorkspace } from "./options.ts";
import type { TaskEdgeActors } from "./shared-machine.ts";
import type { TaskSnapshot } from "./task/task-view.ts";

const standardTools = builtinTools();
const toolsWithoutWorkspace = standardTools.filter((tool) => !needsWorkspace(tool));

/** The task that edge actors work for. */
export interface EdgeTask {
  readonly id: string;
  readonly options: AssemblyOptions;
  readonly workspace: Workspace;
  readonly modes: Modes;
  readonly isSubtask: boolean;
  /** The completion tool of a typed result. Runs may differ in it. */
  readonly completionTool: Tool | undefined;
}

/** The parts of its host that the edge actors of a task use. */
export interface EdgeHost {
  readonly dataDir: string;
  readonly objects: HostOptions["objects"];
  readonly traceContext: HostOptions["traceContext"];
  readonly filesOfSubtasks: (parentId: string) => SubtaskFiles;
  readonly backgroundSubtasksOf: (parentId: string) => BackgroundSubtasks;
}

type EdgePorts = Pick<EdgeOptions, "shell" | "asks" | "calls" | "subtasks" | "artifacts">;

/** Create the actors that run the effects of a task, with its features, tools and models. */
export function createEdgeActors(
  task: EdgeTask,
  { dataDir, objects, traceContext, filesOfSubtasks, backgroundSubtasksOf }: EdgeHost,
  edge: Edge,
  ports: EdgePorts,
  features: readonly ResidentFeature[],
): TaskEdgeActors {
  const { options, workspace } = task;
  const { configDir, permissions: { judge: policy = STANDARD_POLICY } = {}, restrictions = [] } = options;
  let environment: FeatureEnvironment = {};
  for (const feature of features) environment = { ...environment, ...feature.environment };
  const hasWorkspace = usesWorkspace(options);
  const standard = new EdgeActorFactory(edge, {
    ...ports,
    model: options.models.default,
    profiles: options.models.named,
    tools: toolsOf(options),
    dynamicTools: options.dynamicTools,
    restrictTools: restrictions.length === 0 ? undefined : toolFilter(restrictions),
    codebaseIndex: options.codebaseIndex,
    traceContext: traceContext && ((callId) => traceContext(task.id, callId)),
    modes: task.modes,
    policy: restrictedPolicy(policy, restrictions),
    workspace,
    hasWorkspace,
    systemPrompt: options.systemPrompt,
    environmentLimits: options.environmentLimits,
    editor: editorOf(options),
    userRules: configDir === undefined ? undefined : () => readUserRules(configDir),
    skills: hasWorkspace ? openSkills({ workspace: workspace.root, configDir }) : undefined,
    checkpoints:
      options.checkpoints === true && hasWorkspace
        ? () => openCheckpoints({ workspace: workspace.root, dataDir, objects: objects?.(task.id) })
        : undefined,
    mentions: {
      repository: gitRepository(workspace),
      problems: options.problems,
      limits: options.mentionLimits,
    },
    completion: options.completion,
    resultTool: () => task.completionTool,
    isSubtask: task.isSubtask,
    subtaskFiles: options.isolation !== undefined && hasWorkspace ? filesOfSubtasks(task.id) : undefined,
    backgroundSubtasks: options.backgroundSubtasks === undefined ? undefined : backgroundSubtasksOf(task.id),
    expiry: options.expiry,
    instructions: options.instructions,
    llm: options.llm,
    ...environment,
  });
  return { standard, replaced: options.actors?.(standard.all(), edge) };
}

export const usesWorkspace = ({ workspace }: AssemblyOptions): boolean => workspace !== false;

/** The editor of a task whose workspace is open in one. */
export const editorOf = ({ workspace }: AssemblyOptions): EditorWorkspace | undefined =>
  typeof workspace === "object" ? workspace : undefined;

function toolsOf(options: AssemblyOptions): readonly Tool[] {
  const { tools = usesWorkspace(options) ? standardTools : toolsWithoutWorkspace, models } = options;
  return withChoices(tools, {
    profiles: models.offered,
    inBackground: options.backgroundSubtasks !== undefined,
    isolation: usesWorkspace(options) ? options.isolation : undefined,
  });
}

/**
 * Track the calls of a task. The result of a stopped call is recorded (L12), and what a command changed whose call settled
 * when it went to the background; any other result is in the commit that settles its call.
 */
export function trackCalls(
  clock: Clock,
  gate: Gate<TaskSnapshot>,
  snapshot: () => TaskSnapshot,
): CallTracker {
  return new CallTracker({
    clock,
    onEnd: (call) => {
      const now = snapshot();
      if (call.stopped || wroteInBackground(call, now)) recordEnd(gate, now, call);
    },
  });
}

/** Record the result of a call. The gate reports a journal that fails, and writes the record with the next one. */
function recordEnd(
  gate: Gate<TaskSnapshot>,
  { context }: TaskSnapshot,
  { callId, content, writes }: EndedCall,
): void {
  const written = writes === undefined ? {} : { writes };
  gate
    .record({ callId, content: recordedContent(context, callId, content), ...written })
    .catch(() => undefined);
}

const wroteInBackground = ({ callId, writes }: EndedCall, { context }: TaskSnapshot): boolean =>
  writes !== undefined && context.background.some((command) => command.callId === callId);
