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
  type LlmBounds,
  openWorkspace,
  systemClock,
  systemShell,
} from "../actors/index.ts";
import type { ActorInputs, TaskLimits } from "../machines/task/index.ts";
import {
  allowReadsInside,
  askAPerson,
  builtinTools,
  firstOf,
  type Policy,
  type Tool,
} from "../tools/index.ts";
import { HostError } from "./errors.ts";
import { expectHostOptions, expectTaskOptions } from "./options.ts";
import { settleIn, sharedMachine } from "./shared-machine.ts";
import type { TaskSnapshot } from "./shown-task.ts";
import { Task } from "./task.ts";
import { DEFAULT_WORD_LIMITS, WordCheck, type WordLimits } from "./words.ts";

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
  /** How much a person may say at once. */
  readonly words?: Partial<WordLimits>;
  /** Bounds of one answer of the model, and how often the task hears of it. */
  readonly llm?: LlmBounds;
  /** Whether a failed request is tried again without asking. Default true. */
  readonly autoRetry?: boolean;
  /** Which asks a policy answers after a while, and how. Default: none. */
  readonly expiry?: (ask: ActorInputs["ask"]) => Expiry | undefined;
  /** Edge actors to use in place of the standard ones, which are given. */
  readonly actors?: (standard: EdgeActors, edge: Edge) => Partial<EdgeActors>;
  /** Names the task and its folder: letters, digits, `.`, `_` and `-`. Default: a new one. */
  readonly id?: string;
}

/** Holds the tasks of a process: each a root actor of its own, with its own journal. */
export interface Host {
  readonly tasks: ReadonlyMap<string, Task>;
  /**
   * A new task, that has yet to be run.
   * @throws HostError `OPTION_INVALID` naming the option; `TASK_EXISTS` for an id that is open here; `HOST_CLOSED`
   * @throws ToolError if the workspace is no folder, or two tools have one name
   */
  create(options: TaskOptions): Promise<Task>;
  /** Closes a task and forgets it. One that isn't here is closed already. @throws JournalError */
  close(taskId: string): Promise<void>;
  /** Closes all tasks, also those that are being created; no more are taken. @throws JournalError of the first that failed */
  closeAll(): Promise<void>;
}

/**
 * A host with its defaults: tasks journaled to files, the built-in tools, reads allowed, the rest asked about.
 *
 * @example
 * ```ts
 * import { anthropic, createHost } from "signalbox";
 * const host = createHost({ dataDir: "./tasks" });
 * const task = await host.create({ model: anthropic({ model: "claude-sonnet-5-5" }), workspace: "." });
 * task.asks$.subscribe((ask) => {
 *   if (ask.kind === "tool" || ask.kind === "command") ask.approve();
 * });
 * const { state, result, cost } = await task.run("Make the tests pass");
 * ```
 * @throws HostError `OPTION_INVALID`
 */
export function createHost(options: HostOptions = {}): Host {
  expectHostOptions(options);
  const dataDir = options.dataDir ?? path.join(homedir(), ".signalbox");
  const newId = options.newId ?? randomUUID;
  const tasks = new Map<string, Task>();
  const opening = new Map<string, Promise<Task>>();
  const journal = options.journal ?? ((taskId) => fileJournal({ dir: path.join(dataDir, "tasks", taskId) }));
  let closed = false;

  const close = async (taskId: string): Promise<void> => {
    const task = tasks.get(taskId);
    await task?.close().finally(() => tasks.delete(taskId));
  };
  const open = async (id: string, taskOptions: TaskOptions): Promise<Task> => {
    const task = await openTask(id, taskOptions, {
      ...options,
      newId,
      driver: journal(id),
      folder: path.join(dataDir, "tasks", id),
      onBroken: () => tasks.delete(id),
    });
    tasks.set(id, task);
    return task;
  };
  return {
    tasks,
    async create(taskOptions) {
      expectTaskOptions(taskOptions);
      if (closed) throw hostClosed();
      const id = taskOptions.id ?? newId();
      if (tasks.has(id) || opening.has(id)) throw taskExists(id);
      const opened = open(id, taskOptions).finally(() => opening.delete(id));
      opening.set(id, opened);
      return opened;
    },
    close,
    async closeAll() {
      closed = true;
      await Promise.allSettled(opening.values());
      const ends = await Promise.allSettled([...tasks.keys()].map(close));
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
  };
}

const hostClosed = (): HostError =>
  new HostError("HOST_CLOSED", "This host was closed: it takes no more tasks. Make a new one.");

const taskExists = (id: string): HostError =>
  new HostError("TASK_EXISTS", `Task ${id} is open in this host: use that one, or another id.`);

const standardTools = builtinTools();
const standardWords = new WordCheck(DEFAULT_WORD_LIMITS);

interface Surroundings extends HostOptions {
  readonly newId: () => string;
  readonly driver: JournalDriver;
  /** The task's own. */
  readonly folder: string;
  /** Called when the task can't go on. */
  readonly onBroken: () => void;
}

async function openTask(id: string, options: TaskOptions, host: Surroundings): Promise<Task> {
  const clock = host.clock ?? systemClock;
  const workspace = await openWorkspace(options.workspace);
  const trouble: Trouble = {};
  const gate = createGate<TaskSnapshot>({
    driver: host.driver,
    header: { taskId: id, createdAt: clock.now(), workspace: workspace.root },
    clock,
    onError: (error) => tell(host, id, trouble, error),
    gather: setImmediate,
  });
  const board = createAskBoard();
  const shell = systemShell({ artifacts: path.join(host.folder, "output") });
  const ends = new EffectLedger({ clock, onEnd: (end) => recordEnd(gate, end) });
  const edge: Edge = { clock, random: host.random ?? Math.random, release: gate.release };
  const standard = edgeActors(edge, {
    model: options.model,
    tools: options.tools ?? standardTools,
    policy: options.policy ?? firstOf(allowReadsInside(), askAPerson()),
    workspace,
    shell,
    board,
    ends,
    ...(options.expiry !== undefined && { expiry: options.expiry }),
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    ...(options.llm !== undefined && { llm: options.llm }),
  });
  const actors = { ...standard, ...options.actors?.(standard, edge) };
  const actor = createActor(sharedMachine, {
    input: {
      taskId: id,
      ...(options.limits !== undefined && { limits: options.limits }),
      ...(options.autoRetry !== undefined && { autoRetry: options.autoRetry }),
    },
  });
  settleIn(actor.system, actors);
  gate.attach(actor);
  actor.start();
  const endEffects = async (): Promise<void> => {
    await ends.quiet();
    shell.close();
  };
  const task = new Task({
    id,
    workspace: workspace.root,
    actor,
    gate,
    board,
    clock,
    newId: host.newId,
    words:
      options.words === undefined
        ? standardWords
        : new WordCheck({ ...DEFAULT_WORD_LIMITS, ...options.words }),
    endEffects,
  });
  // A task breaks when its actor throws, or when its gate ends by itself. One that is being closed does not.
  const breakOff = (cause: unknown): void => {
    task.breakOff(cause);
    host.onBroken();
  };
  actor.subscribe({ error: breakOff });
  gate.commits$.subscribe({ complete: () => breakOff(trouble.newest) });
  return task;
}

/** What the gate told last: why it closed, where the task's actor itself did not fail. */
interface Trouble {
  newest?: unknown;
}

function tell(host: HostOptions, id: string, trouble: Trouble, error: unknown): void {
  trouble.newest = error;
  if (host.onError !== undefined) host.onError(error, id);
  else throwAtProcess(error);
}

const throwAtProcess = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });

/** The journal that can't take an end has told the task so already; the end is kept and written with the next. */
function recordEnd(gate: Gate<TaskSnapshot>, { callId, content }: CallEnd): void {
  gate.record({ callId, content }).catch(() => undefined);
}
