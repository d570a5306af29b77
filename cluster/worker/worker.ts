import {
  createHost,
  type Host,
  HostError,
  type HostOptions,
  type ReopenOptions,
  type Task,
  ToolError,
} from "signalbox";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Inbox } from "../../ports/inbox.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { OwnerAddress, TaskOwners } from "../../ports/owners.ts";
import type { TaskPools } from "../../ports/pools.ts";
import type { StoreIdentity } from "../../ports/store-identity.ts";
import type { Wakes, WakeWork } from "../../ports/wakes.ts";
import type { CommandRefusal } from "../../runtime/inbox/apply-command.ts";
import { deliverInbox } from "../../runtime/inbox/inbox-delivery.ts";
import { DEFAULT_POOL } from "../../wire/pool.ts";
import { type Deferred, deferred } from "../deferred.ts";
import { ClusterError } from "../error.ts";
import { assertNode } from "../node-version.ts";
import { continuesAt, hasLeftSubtask } from "./left-subtask.ts";
import { type NewTask, newTask } from "./new-task.ts";
import { againAfter, lockedUntil, OUTAGE_MS } from "./open-error.ts";
import { OwnedTask } from "./owned-task.ts";

/** The parts of `openPostgres` that a worker uses. It closes the store when it drains. */
export interface WorkerStore {
  readonly journal: (taskId: string) => JournalDriver;
  readonly objects?: HostOptions["objects"];
  /** The commands for the tasks. Absent: none. */
  readonly inbox?: Inbox;
  /** Tells other processes which tasks are open here. Absent: none ask. */
  readonly owners?: Pick<TaskOwners, "serveAt" | "announce">;
  /** The pools of the tasks. Absent: all are in `default`. */
  readonly pools?: Pick<TaskPools, "poolOf">;
  /** The identity of the store. Absent: it is not compared with the store of `wakes`. */
  readonly identity?: Pick<StoreIdentity, "read">;
  close(): Promise<void>;
}

/** The tasks of a host, served to other processes. */
export interface ServedHost {
  readonly address: OwnerAddress;
  close(): Promise<void>;
}

/** Options of {@link createWorker}. */
export interface WorkerOptions {
  readonly store: WorkerStore;
  readonly wakes: Wakes;
  /** The options that a task is opened with. */
  readonly task: ReopenOptions | ((taskId: string) => ReopenOptions | Promise<ReopenOptions>);
  /** Further options of the host. */
  readonly host?: Omit<HostOptions, "journal" | "objects" | "clock" | "onError">;
  /** The default workspace of new tasks; relative ones are resolved against it. Default: the working directory. */
  readonly workspace?: string;
  /** Take requests for the tasks of this worker from servers. Called before the first task is opened. Default: takes none. */
  readonly serve?: (host: Host) => Promise<ServedHost>;
  /** The pools whose tasks it runs: those whose workspaces this machine has. Default: `default`. */
  readonly pools?: readonly string[];
  /** Maximum number of tasks that are open at once. Default 100. */
  readonly atOnce?: number;
  /** Time at rest after which a task is closed, so that any worker can own it, in ms. Default 5,000. */
  readonly idleMs?: number;
  /** Time that `drain` gives tasks to come to rest, in ms. Default 30,000. */
  readonly drainMs?: number;
  /** The clock; pass another one in tests. */
  readonly clock?: Clock;
  /** Called with each error of a task: its wake is tried again. Also called with each command of its inbox that is refused. */
  readonly onError: (error: unknown, taskId: string) => void;
}

/** A worker: it opens tasks that are woken, and owns each until it is at rest. */
export interface Worker {
  /** The open tasks including subtasks, by id. */
  readonly tasks: ReadonlyMap<string, Task>;
  /**
   * Stop taking tasks, close those at rest, and give the others `drainMs` to come to rest. The lease then ends, so that
   * other workers continue with what is left at once. Resolves when nothing runs here any more.
   */
  drain(): Promise<void>;
}

/**
 * Start a worker. It takes the commands in the inbox of a task, each once, continues a task that was interrupted with its process
 * unless it took one, and wakes it at its next due time.
 *
 * @example
 * ```ts
 * import { createWorker, openWakes } from "@signalbox/cluster";
 * import { anthropic } from "signalbox";
 * import { openPostgres } from "signalbox/postgres";
 * const onError = console.error;
 * const store = await openPostgres({ url: databaseUrl });
 * const wakes = await openWakes({ url: databaseUrl, store, onError });
 * const task = { model: anthropic({ model: "claude-sonnet-4-6" }) };
 * const worker = await createWorker({ store, wakes, task, onError });
 * process.once("SIGTERM", () => worker.drain().then(() => wakes.close()));
 * ```
 * @throws ClusterError `NODE_TOO_OLD`, `CLUSTER_OPTION`, `CLUSTER_MISMATCH`
 */
export async function createWorker(options: WorkerOptions): Promise<Worker> {
  assertNode();
  for (const name of ["idleMs", "drainMs"] as const)
    if (!((options[name] ?? 0) >= 0))
      throw new ClusterError("CLUSTER_OPTION", `Expected ${name} of at least 0, got ${options[name]}.`);
  await assertSameStore(options);
  const worker = new TaskWorker(options);
  await worker.start();
  return worker;
}

/** @throws ClusterError `CLUSTER_MISMATCH` */
async function assertSameStore({ store: { identity }, wakes }: WorkerOptions): Promise<void> {
  if (identity === undefined || wakes.storeId === undefined) return;
  if ((await identity.read()).id === wakes.storeId) return;
  throw new ClusterError(
    "CLUSTER_MISMATCH",
    "Expected the wakes of the worker's store, got the wakes of another one. Open them with this store: openWakes({ store }).",
  );
}

class TaskWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #clock: Clock;
  readonly #host: Host;
  /** The end of the newest handler of each task. */
  readonly #handled = new Map<string, Promise<void>>();
  /** Resolves when the lease has ended with the tasks that did not come to rest. */
  readonly #released: Deferred = deferred();
  /** The tasks that are not at rest: each resolves when its task is, or waits for an answer while the worker drains. */
  readonly #working = new Set<Promise<void>>();
  /** Whether the lease ends with the tasks that are open. */
  #isLeaving = false;
  #work: WakeWork | undefined;
  #served: ServedHost | undefined;
  readonly #draining = new AbortController();
  #drained: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#host = createHost({
      ...options.host,
      journal: options.store.journal,
      ...(options.store.objects && { objects: options.store.objects }),
      clock: this.#clock,
      onError: options.onError,
    });
  }

  get tasks(): ReadonlyMap<string, Task> {
    return this.#host.tasks;
  }

  async start(): Promise<void> {
    const { wakes, store, serve, atOnce = 100, pools = [DEFAULT_POOL], onError } = this.#options;
    this.#served = await serve?.(this.#host);
    if (this.#served !== undefined) store.owners?.serveAt(this.#served.address);
    this.#host.opened$.subscribe((task) => {
      store.owners?.announce(task.id).catch((error: unknown) => onError(error, task.id));
      // A request has opened it.
      if (task.parent === undefined && !this.#handled.has(task.id))
        void this.#handle(task.id, this.#draining.signal).catch(() => undefined);
    });
    this.#work = await wakes.work((taskId, signal) => this.#handle(taskId, signal), { atOnce, pools });
  }

  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async #drain(): Promise<void> {
    const { drainMs = 30_000, store } = this.#options;
    const stopped = this.#work?.stop() ?? Promise.resolve();
    this.#draining.abort();
    const late = deferred();
    const cancel = this.#clock.after(drainMs, late.resolve);
    await Promise.race([late.promise, Promise.all(this.#working)]);
    cancel();
    this.#isLeaving = true;
    await this.#served?.close();
    // Effects stop with the lease. What is left has no record of this end: the next owner continues it as after a crash.
    await store.close();
    await this.#host.closeAll().catch(() => undefined);
    this.#released.resolve();
    await stopped;
  }

  /** A wake that is delivered twice is handled once the first one is. */
  async #handle(taskId: string, signal: AbortSignal): Promise<void> {
    const before = this.#handled.get(taskId);
    const work = async (): Promise<void> => {
      await before?.catch(() => undefined);
      await this.#own(taskId, signal);
    };
    const handled = work();
    this.#handled.set(taskId, handled);
    try {
      await handled;
    } catch (error) {
      if (!signal.aborted) this.#options.onError(error, taskId);
      throw error;
    } finally {
      if (this.#handled.get(taskId) === handled) this.#handled.delete(taskId);
    }
  }

  async #own(taskId: string, signal: AbortSignal): Promise<void> {
    const quiet = deferred();
    this.#working.add(quiet.promise);
    try {
      signal.throwIfAborted();
      await this.#openAndOwn(taskId, signal);
      if (!this.#isLeaving) return;
      quiet.resolve();
      await this.#released.promise;
      signal.throwIfAborted();
    } catch (error) {
      const ms = againAfter(error);
      if (signal.aborted || ms === undefined) throw error;
      // The task is not to blame: this try does not count.
      this.#options.onError(error, taskId);
      await this.#wake(taskId, this.#clock.now() + ms);
    } finally {
      quiet.resolve();
      this.#working.delete(quiet.promise);
    }
  }

  /** Resolves when the task is closed, or the worker leaves. */
  async #openAndOwn(taskId: string, signal: AbortSignal): Promise<void> {
    const task = await this.#open(taskId);
    if (task === undefined) return;
    const { idleMs = 5_000 } = this.#options;
    const owned = new OwnedTask(task, signal, { host: this.#host, clock: this.#clock, idleMs });
    try {
      await this.#untilReleased(owned);
    } catch (error) {
      if (!this.#isLeaving) await this.#lose(owned, error);
    }
  }

  /** Deliver what waits, continue an interrupted task, and close it once it is at rest, unless the worker leaves before. */
  async #untilReleased(owned: OwnedTask): Promise<void> {
    const { task } = owned;
    await this.#deliver(task);
    if (task.isInterrupted || hasLeftSubtask(task)) continueTask(task);
    await owned.untilIdle();
    if (!this.#isLeaving && owned.isIdle) await this.#release(task);
  }

  /** Close a task that failed. If its journal did, it is woken: the next owner continues from what is written. */
  async #lose({ task, isLost }: OwnedTask, error: unknown): Promise<void> {
    const { onError } = this.#options;
    await this.#host.close(task.id).catch((closing: unknown) => onError(closing, task.id));
    if (!isLost) throw error;
    onError(error, task.id);
    await this.#wake(task.id);
  }

  /** Wake a task once the database takes it: until then this worker holds the wake that it works on, and no try is used up. */
  async #wake(taskId: string, at?: number): Promise<void> {
    const { wakes, onError } = this.#options;
    const { signal } = this.#draining;
    for (;;) {
      try {
        return await wakes.wake(taskId, at);
      } catch (error) {
        if (signal.aborted) throw error;
        onError(error, taskId);
      }
      const again = deferred();
      const cancel = this.#clock.after(OUTAGE_MS, again.resolve);
      signal.addEventListener("abort", again.resolve, { once: true });
      await again.promise;
      signal.removeEventListener("abort", again.resolve);
      cancel();
    }
  }

  /** Take the commands that wait, and from then on each that is added, until the task is closed. */
  async #deliver(task: Task): Promise<void> {
    const { store, onError } = this.#options;
    if (store.inbox === undefined) return;
    const report = (error: unknown): void => onError(error, task.id);
    const refused = (_: unknown, { code, message }: CommandRefusal): void =>
      report(new ClusterError("COMMAND_REFUSED", `${message} (${code})`));
    await deliverInbox({ task, inbox: store.inbox, onError: report, onRefused: refused }).taken();
  }

  /**
   * Undefined if workers of another pool run the task, or another worker owns it. If that one has died, its lease ends: then the
   * task is woken again.
   */
  async #open(taskId: string): Promise<Task | undefined> {
    const { wakes } = this.#options;
    const open = this.#host.tasks.get(taskId);
    if (open !== undefined) return open;
    if (await this.#isOfOtherPool(taskId)) {
      await wakes.wake(taskId);
      return undefined;
    }
    try {
      return await this.#openOrCreate(taskId);
    } catch (error) {
      const leaseUntil = lockedUntil(error);
      if (leaseUntil === undefined) throw error;
      await wakes.wake(taskId, leaseUntil);
      return undefined;
    }
  }

  /** Whether other workers run a task. Its pool can change after its wake, if its start was refused and sent again. */
  async #isOfOtherPool(taskId: string): Promise<boolean> {
    const { store, pools = [DEFAULT_POOL] } = this.#options;
    return store.pools !== undefined && !pools.includes(await store.pools.poolOf(taskId));
  }

  /** Undefined for a task that its options do not allow to create: its start is refused. */
  async #openOrCreate(taskId: string): Promise<Task | undefined> {
    const { task: given, store, workspace = "." } = this.#options;
    const options = typeof given === "function" ? await given(taskId) : given;
    try {
      return await this.#host.open(taskId, options);
    } catch (error) {
      if (!(error instanceof HostError && error.code === "TASK_UNKNOWN")) throw error;
      const created = await newTask(taskId, options, { inbox: store.inbox, workspace });
      if (created === undefined) throw error;
      return this.#create(taskId, created);
    }
  }

  async #create(taskId: string, { options, position }: NewTask): Promise<Task | undefined> {
    try {
      return await this.#host.create(options);
    } catch (error) {
      if (!isOfOptions(error)) throw error;
      await this.#options.store.inbox?.refuse(taskId, position, error);
      return undefined;
    }
  }

  /** Close the task. Its next due times are wakes, set before another worker can own it. */
  async #release(task: Task): Promise<void> {
    for (const at of [task.wakesAt, continuesAt(task, this.#clock.now())])
      if (at !== undefined) await this.#options.wakes.wake(task.id, at);
    await this.#host.close(task.id);
  }
}

/** Continue a task that was interrupted. Returns false if it has no ask to resume. */
const continueTask = (task: Task): boolean =>
  task.asks.some((ask) => ask.kind === "resume" && ask.approve().ok);

/** Whether a task can't be created with its options: a mode that does not exist, or a workspace that is no folder. */
const isOfOptions = (error: unknown): error is ToolError | HostError =>
  error instanceof ToolError || (error instanceof HostError && error.code === "OPTION_INVALID");
