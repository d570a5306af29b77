import { createActor } from "xstate";
import type { z } from "zod";
import { createOpenAsks, type OpenAsks } from "../actors/ask/open-asks.ts";
import type { Edge, Pass } from "../actors/protocol/edge.ts";
import {
  type Checkpoints,
  type CheckpointsOff,
  openCheckpoints,
} from "../adapters/checkpoints/checkpoints.ts";
import { RESTORE_LIMITS } from "../adapters/checkpoints/limits.ts";
import { assertSandbox } from "../adapters/sandbox/proof.ts";
import { artifactIn } from "../machines/conversation/artifacts.ts";
import type { Conversation } from "../machines/conversation/conversation.ts";
import { memoize } from "../machines/conversation/memoize.ts";
import { fromPassive, type RecordedLists, toPassive } from "../machines/task/passivation.ts";
import type { ReopenedTask, TaskInput } from "../machines/task/task.context.ts";
import type { Completion } from "../machines/task/task.events.ts";
import { wakeTime } from "../machines/task/wake.ts";
import type { PermissionMode } from "../machines/tool-call/permissions.ts";
import { restrictedMode } from "../machines/tool-call/restriction.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { Clock } from "../ports/clock.ts";
import type { JournalDriver } from "../ports/journal.ts";
import type { Workspace } from "../ports/workspace.ts";
import { createGate, type Gate } from "../store/gate/gate.ts";
import { unpackPassive } from "../store/recovery/packed-passive.ts";
import { loadPassiveCopy } from "../store/recovery/passive-copy.ts";
import { completionWith } from "../tools/builtin/attempt-completion.ts";
import { completionFor } from "../tools/builtin/result-schema.ts";
import { formatError } from "../tools/error.ts";
import type { Mode } from "../tools/modes/mode.ts";
import { createModes, type Modes } from "../tools/modes/modes.ts";
import type { Tool } from "../tools/tool.ts";
import { type JournalHeader, recordedRules } from "../wire/journal/record.ts";
import { Breakpoints } from "./breakpoints/breakpoints.ts";
import { derivationLaw, observeMacrosteps, placeOf } from "./breakpoints/macrosteps.ts";
import { CommandOutputs } from "./command-outputs.ts";
import type { FeatureHost, FeatureTask, HostFeature, TaskFeature } from "./features/feature.ts";
import { openFeatures } from "./features/features.ts";
import { type AssemblyOptions, assertPermissions, keepsArtifacts, readsArtifacts } from "./options.ts";
import type { DroppedTail } from "./recovery.ts";
import type { Residents } from "./residents.ts";
import { registerEdgeActors, sharedMachine } from "./shared-machine.ts";
import type { ParentTask } from "./subtasks/subtask.ts";
import type { TaskSubtasks } from "./subtasks/subtask-tree.ts";
import { HostError } from "./task/errors.ts";
import { type ActivatedState, type Residence, Residency, type ResidencyOwner } from "./task/residency.ts";
import { Task, type TaskParts } from "./task/task.ts";
import type { TaskSnapshot } from "./task/task-view.ts";
import { DEFAULT_USER_INPUT_LIMITS, type UserInputLimits, UserInputValidator } from "./task/user-input.ts";
import {
  createEdgeActors,
  type EdgeHost,
  type EdgeTask,
  editorOf,
  trackCalls,
  usesWorkspace,
} from "./task-edge.ts";
import { inputOf } from "./task-input.ts";
import { TaskShell } from "./task-shell.ts";
import type { WakeUps } from "./wake-ups.ts";
import type { Workspaces } from "./workspaces.ts";

const NO_FEATURES: readonly TaskFeature[] = [];
const NO_MODES: readonly Mode[] = [];
/** One object for all tasks with the same modes. */
const modesOf = memoize((modes: readonly Mode[]) => createModes(modes));
const STANDARD_INPUT: Partial<UserInputLimits> = {};
const validatorOf = memoize(
  (limits: Partial<UserInputLimits>) => new UserInputValidator({ ...DEFAULT_USER_INPUT_LIMITS, ...limits }),
);

/** The parts that the tasks of a host share. */
export interface HostEnvironment extends FeatureHost, EdgeHost {
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly newId: () => string;
  /** Called when a task is closed, or can't continue. */
  readonly onEnd: (taskId: string) => void;
  readonly subtasksOf: (parent: ParentTask) => TaskSubtasks;
  /** Whether a parent in this host waits for the task. */
  readonly isAwaited: (task: Task) => boolean;
  readonly workspaces: Pick<Workspaces, "open">;
  readonly features: readonly HostFeature[];
  /** The tasks that have actors. */
  readonly residents: Pick<Residents<Task>, "use" | "remove">;
  /** The due times of the tasks. */
  readonly wakeUps: Pick<WakeUps, "set">;
}

/** A task that is created or opened. */
export interface OpenedTask {
  readonly id: string;
  readonly options: AssemblyOptions;
  readonly driver: JournalDriver;
  /** The parent of a subtask. */
  readonly parent: JournalHeader["parent"];
  /** The recorded state of a reopened task. */
  readonly reopened?: {
    readonly past: ReopenedTask;
    readonly lastSeq: number;
    /** Format version of that record. */
    readonly version: number;
    /** Position of the last command of its inbox that the task has taken. */
    readonly taken: number;
    /** Whether its process ended while it worked. */
    readonly isInterrupted: boolean;
    readonly dropped?: DroppedTail;
    /** In a fork: the snapshot of the original after that record, which it continues. Absent: its past is settled. */
    readonly moment?: TaskSnapshot;
  };
}

/**
 * Assemble and start a task over its journal. A new task waits for its prompt, a reopened one for its resume ask.
 *
 * @throws SandboxError `SANDBOX_MISSING`, `SANDBOX_PROBE` for a sandbox that can't be created here
 */
export async function openTask(opened: OpenedTask, host: HostEnvironment): Promise<Task> {
  if (opened.options.sandbox !== undefined) await assertSandbox();
  const workspace = await host.workspaces.open(opened.options.workspace);
  const assembly = new TaskAssembly(opened, host, workspace);
  await assembly.openFeatures();
  return new Task(assembly);
}

/** Creates the parts of one task. It holds little: a host may have 100,000 passive tasks. */
class TaskAssembly implements TaskParts, ResidencyOwner<Task>, FeatureTask, EdgeTask {
  readonly id: string;
  readonly driver: JournalDriver;
  readonly parent: JournalHeader["parent"];
  readonly dropped: DroppedTail | undefined;
  readonly taken: number;
  readonly isInterrupted: boolean;
  endedSubtasks = NO_SUBTASKS_ENDED;
  readonly options: AssemblyOptions;
  readonly workspace: Workspace;
  readonly #host: HostEnvironment;
  #features: readonly TaskFeature[] = NO_FEATURES;
  /** The state that the first actor of a reopened task starts with. */
  #reopened: OpenedTask["reopened"];
  /** The completion tool of a run with a result schema. */
  #resultTool: { readonly schema: z.ZodType; readonly tool: Tool } | undefined;

  constructor(
    { id, driver, parent, options, reopened }: OpenedTask,
    host: HostEnvironment,
    workspace: Workspace,
  ) {
    this.id = id;
    this.driver = driver;
    this.parent = parent;
    this.dropped = reopened?.dropped;
    this.taken = reopened?.taken ?? 0;
    this.isInterrupted = reopened?.isInterrupted ?? false;
    this.options = options;
    this.workspace = workspace;
    this.#host = host;
    this.#reopened = reopened;
  }

  /** Open the features of the task, before it gets its actors. */
  async openFeatures(): Promise<void> {
    this.#features = await openFeatures(this.#host.features, this, this.#reopened !== undefined);
  }

  get assertPermissions(): TaskParts["assertPermissions"] {
    return assertPermissions;
  }

  get modes(): Modes {
    return modesOf(this.options.modes ?? NO_MODES);
  }

  get input(): UserInputValidator {
    return validatorOf(this.options.inputLimits ?? STANDARD_INPUT);
  }

  get isSubtask(): boolean {
    return this.parent !== undefined;
  }

  /** The completion tool of a typed result: the one of the run, or of the parent's call. */
  get completionTool(): Tool | undefined {
    const { resultSchema } = this.options;
    return this.#resultTool?.tool ?? (resultSchema && completionOf(resultSchema));
  }

  get title(): string | undefined {
    return this.options.title;
  }

  permitted(mode: PermissionMode): PermissionMode {
    return restrictedMode(this.options.restrictions ?? [], mode);
  }

  get clock(): Clock {
    return this.#host.clock;
  }

  get onError(): (error: unknown) => void {
    return (error) => this.#host.onError(error, this.id);
  }

  get newId(): () => string {
    return this.#host.newId;
  }

  get subtasks(): TaskSubtasks {
    const { id, parent } = this;
    return this.#host.subtasksOf({ id, rootId: parent?.rootId ?? id, options: this.options });
  }

  selectResult(schema: z.ZodType | undefined): Completion {
    if (schema === undefined) this.#resultTool = undefined;
    else if (this.#resultTool?.schema !== schema) this.#resultTool = { schema, tool: resultToolOf(schema) };
    return schema === undefined ? (this.options.completion ?? "end_turn") : "tool";
  }

  createBreakpoints(actor: () => Residence["actor"]): Breakpoints {
    const { breakpoints: limits, laws = derivationLaw } = this.options.debugging ?? {};
    return new Breakpoints(
      (listener, checksLaws) => observeMacrosteps(actor(), checksLaws ? laws : undefined, listener),
      limits,
      this.onError,
      (callId) => placeOf(actor().getSnapshot(), callId),
    );
  }

  openCheckpoints(): Promise<Checkpoints | CheckpointsOff> {
    const { dataDir, objects } = this.#host;
    const place = { workspace: this.workspace.root, dataDir, objects: objects?.(this.id) };
    return openCheckpoints({ ...place, limits: RESTORE_LIMITS });
  }

  createResidency(task: Task): Residency<Task> {
    return new Residency(task, this);
  }

  mayRelease(task: Task, snapshot: TaskSnapshot, { asks, needsActors }: Residence): boolean {
    return task.isOpen && !task.isInspected && !needsActors() && !this.#needsActors(task, snapshot, asks);
  }

  onUse(task: Task): void {
    if (task.isOpen) this.#host.residents.use(task);
  }

  onPassive(task: Task): void {
    this.#host.residents.remove(task);
    for (const feature of this.#features) feature.onPassive?.();
  }

  async closeJournal(): Promise<void> {
    this.#host.onEnd(this.id);
    await this.driver.close();
    await this.featuresEnded();
  }

  async featuresEnded(): Promise<void> {
    for (const feature of this.#features) await feature.ended?.();
  }

  /** A policy may answer the completion of a subtask whose call was reviewed, and an ask that expires. */
  #needsActors(task: Task, { value }: TaskSnapshot, asks: OpenAsks): boolean {
    const isWaiting = typeof value === "object" && "waiting_for_input" in value;
    if (this.parent !== undefined && (isWaiting || this.#host.isAwaited(task))) return true;
    return asks.open.some((ask) => this.options.expiry?.(ask) !== undefined);
  }

  createResidence(task: Task, from?: ActivatedState): Residence {
    const { id, driver, parent } = this;
    const { clock, random, onError, onEnd, dataDir } = this.#host;
    const reopened = this.#reopened;
    this.#reopened = undefined;
    /** The reason when the gate closes although the task's actor has not failed. */
    let gateError: unknown;
    const lastSeq = from?.seq ?? reopened?.lastSeq;
    const gate = createGate<TaskSnapshot>({
      driver,
      header: {
        taskId: id,
        createdAt: clock.now(),
        ...(usesWorkspace(this.options)
          ? { workspace: this.workspace.root }
          : { hasWorkspace: false as const }),
        ...(this.options.systemPrompt !== undefined && { systemPrompt: this.options.systemPrompt }),
        ...(parent !== undefined && { parent, ...recordedRules({ ...this.options, parent }) }),
      },
      ...(lastSeq !== undefined && { lastSeq }),
      // A passive task was opened before.
      ...(reopened !== undefined && { version: reopened.version }),
      clock,
      onError: (error) => {
        gateError = error;
        onError(error, id);
      },
      onRecord: (record) => {
        for (const feature of features) feature.onRecord?.(record);
      },
      onClosed: () => {
        task.endStreams();
        fail(gateError);
      },
      scheduleWrite: setImmediate,
    });
    // The log has the reason why an earlier ask is closed: the next one opens once that is shown.
    const asks = createOpenAsks({ maxClosed: 1 });
    const { sandbox } = this.options;
    const place = {
      dataDir,
      taskId: id,
      workspace: this.workspace.root,
      editor: editorOf(this.options)?.editor,
    };
    const outputs = this.#commandOutputs();
    const shell = new TaskShell({ ...place, sandbox, outputs }, this.options.shell);
    const calls = trackCalls(clock, gate, () => actor.getSnapshot());
    const { subtasks } = this;
    const pass: Pass = (event, deliver) => task.pass(event, deliver);
    const edge: Edge = { clock, random, release: gate.release, pass };
    const input = this.#input;
    const actor = createActor(sharedMachine, {
      input: { ...input, ...(reopened !== undefined && { reopened: reopened.past }) },
      ...(from !== undefined && {
        snapshot: fromPassive(unpackPassive(from.packed), input, recordedLists(driver, from)),
      }),
      ...(reopened?.moment !== undefined && {
        snapshot: fromPassive(toPassive(reopened.moment, input), input, reopened.past),
      }),
    });
    if (reopened !== undefined) this.endedSubtasks = takenOver(reopened.past, actor.getSnapshot());
    const facts = from === undefined ? reopened?.past.facts : actor.getSnapshot().context;
    const features = this.#features.map((feature) => feature.reside({ lastSeq, facts }));
    const artifacts = this.#artifacts(outputs, () => actor.getSnapshot().context.conversation);
    const ports = { shell, asks, calls, subtasks, artifacts };
    registerEdgeActors(actor.system, createEdgeActors(this, this.#host, edge, ports, features));
    gate.attach(actor);
    for (const feature of features)
      if (feature.onCommit !== undefined) gate.onCommit((published) => feature.onCommit?.(published));
    this.#followWakeTime(gate, reopened?.moment);
    // A task fails when its actor throws, or when its gate closes although the task does not.
    const fail = (cause: unknown): void => {
      task.fail(cause);
      onEnd(id);
    };
    actor.subscribe({ error: fail });
    for (const feature of features)
      if (feature.onSnapshot !== undefined) actor.subscribe((snapshot) => feature.onSnapshot?.(snapshot));
    const endEffects = async (): Promise<void> => {
      for (const feature of features) await feature.endEffects?.();
      await calls.quiesce();
      await subtasks.close();
    };
    return {
      actor,
      input,
      gate,
      asks,
      endEffects,
      close: () => shell.close(),
      needsActors: () => features.some((feature) => feature.needsActors?.()),
    };
  }

  /** Undefined: the outputs stay in files, also where the task has no tool that reads objects. */
  #commandOutputs(): CommandOutputs | undefined {
    const { objects } = this.#host;
    const isRead = usesWorkspace(this.options) && readsArtifacts(this.options);
    return objects === undefined || !isRead ? undefined : new CommandOutputs(objects(this.id));
  }

  #artifacts(outputs: CommandOutputs | undefined, conversation: () => Conversation): Artifacts | undefined {
    if (outputs === undefined && !keepsArtifacts(this.options)) return undefined;
    return {
      read: (id) => artifactIn(conversation(), id),
      ...(outputs !== undefined && { output: (id) => outputs.find(id) }),
    };
  }

  /** Set the next due time of the task with each commit. A fork that continues at a moment has none yet. */
  #followWakeTime(gate: Gate<TaskSnapshot>, moment: TaskSnapshot | undefined): void {
    if (this.parent !== undefined) return;
    const set = ({ context }: TaskSnapshot): void => this.#host.wakeUps.set(this.id, wakeTime(context));
    gate.onCommit(({ snapshot }) => set(snapshot));
    if (moment !== undefined) set(moment);
  }

  get #input(): TaskInput {
    let input = inputOf(this.id, this.options, this.parent === undefined ? "user" : "parent");
    for (const feature of this.#features) input = { ...input, ...feature.input };
    return input;
  }
}

/** One tool for all uses of a schema. */
const completionOf = memoize(completionFor);

/** @throws HostError `OPTION_INVALID` */
function resultToolOf(schema: z.ZodType): Tool {
  try {
    return completionWith(schema);
  } catch (error) {
    throw new HostError("OPTION_INVALID", `The result schema is invalid: ${formatError(error)}`, error);
  }
}

const NO_SUBTASKS_ENDED: TaskParts["endedSubtasks"] = [];

/** The subtasks whose end the task took over when it was opened. Others are taken over when it is resumed. */
function takenOver(
  { calls, childEnds }: ReopenedTask,
  { context }: TaskSnapshot,
): TaskParts["endedSubtasks"] {
  return calls.flatMap((call) => {
    const end = childEnds?.get(call.callId);
    const now = context.turn.calls.find(({ callId }) => callId === call.callId);
    if (call.phase !== "delegated" || end === undefined || now?.phase !== "settled") return [];
    return [{ childTaskId: call.childId, end }];
  });
}

/** The lists of a passive task. Messages that a reader holds stay the same objects. */
function recordedLists(driver: JournalDriver, { seq, log }: ActivatedState): RecordedLists {
  const loaded = loadPassiveCopy(driver, seq);
  return log === undefined ? loaded : { ...loaded, log };
}
