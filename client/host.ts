import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import path from "node:path";
import { createActor } from "xstate";
import {
  type CallEnd,
  type ChatModel,
  type Clock,
  createAskBoard,
  createGate,
  type Edge,
  type EdgeActors,
  EffectLedger,
  type Expiry,
  edgeActors,
  fileJournal,
  type Gate,
  type JournalDriver,
  openWorkspace,
  systemClock,
  systemShell,
} from "../actors/index.ts";
import { type ActorInputs, type TaskLimits, taskMachine } from "../machines/task/index.ts";
import {
  allowReadsInside,
  askAPerson,
  builtinTools,
  firstOf,
  type Policy,
  type Tool,
} from "../tools/index.ts";
import { HostError } from "./errors.ts";
import type { TaskSnapshot } from "./shown-task.ts";
import { Task } from "./task.ts";

export interface HostOptions {
  /** Where the journals lie. Default `~/.signalbox`. */
  readonly dataDir?: string;
  /** The journal of a task. Default: one file a task, in `dataDir`. */
  readonly journal?: (taskId: string) => JournalDriver;
  /** Time, for tests. */
  readonly clock?: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random?: () => number;
  /** Makes the ids of tasks and queued messages. Default: random UUIDs. */
  readonly newId?: () => string;
  /** Told of what nobody else can be told: a broken invariant, a listener that threw. Default: thrown at the process. */
  readonly onError?: (error: unknown, taskId: string) => void;
}

export interface TaskOptions {
  readonly model: ChatModel;
  /** The folder that the tools may touch. */
  readonly workspace: string;
  /** Default: the built-in ones. */
  readonly tools?: readonly Tool[];
  /** Default: reads inside the workspace are allowed, a person is asked about the rest. */
  readonly policy?: Policy;
  /** More parts for the system prompt, after the standard ones. */
  readonly instructions?: readonly string[];
  readonly limits?: Partial<TaskLimits>;
  /** Whether a failed request is tried again without asking. Default true. */
  readonly autoRetry?: boolean;
  /** Which asks a policy answers after a while, and how. Default: none. */
  readonly expiry?: (ask: ActorInputs["ask"]) => Expiry | undefined;
  /** Edge actors to use in place of the standard ones, which are given. */
  readonly actors?: (standard: EdgeActors, edge: Edge) => Partial<EdgeActors>;
  readonly id?: string;
}

/** Holds the tasks of a process: each a root actor of its own, with its own journal. */
export interface Host {
  readonly tasks: ReadonlyMap<string, Task>;
  /** A new task, that has yet to be run. @throws ToolError if the workspace is no folder */
  create(options: TaskOptions): Promise<Task>;
  /** Closes a task and forgets it. */
  close(taskId: string): Promise<void>;
  /** Closes all tasks. */
  closeAll(): Promise<void>;
}

/**
 * A host with its defaults: tasks journaled to files, the built-in tools, reads allowed, the rest asked about.
 *
 * @example
 * ```ts
 * import { anthropic, createHost } from "signalbox";
 * const host = createHost({ dataDir: "./tasks" });
 * const task = await host.create({ model: anthropic({ model: "claude-sonnet-4-5" }), workspace: "." });
 * task.asks$.subscribe((ask) => {
 *   if (ask.kind === "tool" || ask.kind === "command") ask.approve();
 * });
 * const { state, result, cost } = await task.run("Make the tests pass");
 * ```
 */
export function createHost(options: HostOptions = {}): Host {
  const dataDir = options.dataDir ?? path.join(homedir(), ".signalbox");
  const newId = options.newId ?? randomUUID;
  const tasks = new Map<string, Task>();
  const journal = options.journal ?? ((taskId) => fileJournal({ dir: path.join(dataDir, "tasks", taskId) }));

  const close = async (taskId: string): Promise<void> => {
    const task = tasks.get(taskId);
    tasks.delete(taskId);
    await task?.close();
  };
  return {
    tasks,
    async create(taskOptions) {
      const id = taskOptions.id ?? newId();
      if (tasks.has(id))
        throw new HostError("TASK_BUSY", `Task ${id} is open in this host: use that one, or another id.`);
      const task = await openTask(
        id,
        taskOptions,
        { ...options, newId },
        journal(id),
        path.join(dataDir, "tasks", id),
      );
      tasks.set(id, task);
      return task;
    },
    close,
    async closeAll() {
      await Promise.all([...tasks.keys()].map(close));
    },
  };
}

interface Surroundings extends HostOptions {
  readonly newId: () => string;
}

async function openTask(
  id: string,
  options: TaskOptions,
  host: Surroundings,
  driver: JournalDriver,
  folder: string,
): Promise<Task> {
  const clock = host.clock ?? systemClock;
  const workspace = await openWorkspace(options.workspace);
  const gate = createGate<TaskSnapshot>({
    driver,
    header: { taskId: id, createdAt: clock.now(), workspace: workspace.root },
    clock,
    ...(host.onError !== undefined && { onError: (error: unknown) => host.onError?.(error, id) }),
  });
  const board = createAskBoard();
  const shell = systemShell({ artifacts: path.join(folder, "output") });
  const ends = new EffectLedger({ clock, onEnd: (end) => recordEnd(gate, end) });
  const edge: Edge = { clock, random: host.random ?? Math.random, release: gate.release };
  const standard = edgeActors(edge, {
    model: options.model,
    tools: options.tools ?? builtinTools(),
    policy: options.policy ?? firstOf(allowReadsInside(), askAPerson()),
    workspace,
    shell,
    board,
    ends,
    ...(options.expiry !== undefined && { expiry: options.expiry }),
    ...(options.instructions !== undefined && { instructions: options.instructions }),
  });
  const actors = { ...standard, ...options.actors?.(standard, edge) };
  const actor = createActor(taskMachine.provide({ actors }), {
    input: {
      taskId: id,
      ...(options.limits !== undefined && { limits: options.limits }),
      ...(options.autoRetry !== undefined && { autoRetry: options.autoRetry }),
    },
  });
  gate.attach(actor);
  actor.start();
  const endEffects = async (): Promise<void> => {
    await ends.quiet();
    shell.close();
  };
  return new Task({
    id,
    workspace: workspace.root,
    actor,
    gate,
    board,
    clock,
    newId: host.newId,
    endEffects,
  });
}

/** The journal that can't take an end has told the task so already; the end is kept and written with the next. */
function recordEnd(gate: Gate<TaskSnapshot>, { callId, content }: CallEnd): void {
  gate.record({ callId, content }).catch(() => undefined);
}
