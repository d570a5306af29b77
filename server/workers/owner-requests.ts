import { WakeSignal } from "../../actors/protocol/wake-signal.ts";
import type { Clock } from "../../ports/clock.ts";
import type { OwnerAddress } from "../../ports/owners.ts";
import { systemCode } from "../../store/files/system-code.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { problemSchema, type TaskInfo, taskInfoSchema, taskListSchema } from "../../wire/http/api.ts";
import type { ServerBounds } from "../bounds.ts";
import { ServerError } from "../error.ts";
import type { ServedWorkers } from "./workers.ts";

/** A request as a client sent it. */
export interface OwnerRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface OwnerRequestsOptions {
  readonly workers: ServedWorkers;
  readonly history: Pick<TaskHistory, "summary">;
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "workerMs" | "answerMs">;
}

/** The requests of this server to the workers that own tasks. */
export class OwnerRequests {
  readonly #options: OwnerRequestsOptions;

  constructor(options: OwnerRequestsOptions) {
    this.#options = options;
  }

  /** The task as its owner has it; undefined if no worker has it open. */
  async info(taskId: string): Promise<TaskInfo | undefined> {
    const owner = await this.#options.workers.owners.ownerOf(taskId);
    const path = `/api/tasks/${encodeURIComponent(taskId)}`;
    const answer = owner && (await this.#ask(owner, { method: "GET", path }));
    const info = answer === undefined ? undefined : taskInfoSchema.parse(answer);
    return info?.isOpen === true ? info : undefined;
  }

  /** The tasks that workers have open. */
  async openTasks(): Promise<readonly TaskInfo[]> {
    const lists = await this.#all({ method: "GET", path: "/api/tasks?open=true" });
    return lists.flatMap((list) => taskListSchema.parse(list).tasks);
  }

  /** Pause all tasks that work. Returns them. */
  async pauseAll(): Promise<readonly TaskInfo[]> {
    const lists = await this.#all({ method: "POST", path: "/api/pause", body: {} });
    return lists.flatMap((list) => taskListSchema.parse(list).tasks);
  }

  /**
   * Send a request to the worker that has the task open. Where none has, the task is woken.
   * @throws ServerError `WORKER_MISSING` @throws TaskHistoryError `TASK_UNKNOWN`
   */
  relay(taskId: string, request: OwnerRequest): Promise<Response> {
    return this.#untilOpen(taskId, async (owner) => {
      const response = await send(owner, request);
      return response === undefined || (await isClosed(response)) ? undefined : response;
    });
  }

  /** Resolves when a worker has the task open. @throws as {@link relay} does */
  open(taskId: string): Promise<TaskInfo> {
    return this.#untilOpen(taskId, () => this.info(taskId));
  }

  /** Attempt something with the owner of a task: now, and each time that a worker has opened it, until there is a result. */
  async #untilOpen<T>(taskId: string, attempt: (owner: OwnerAddress) => Promise<T | undefined>): Promise<T> {
    const { workers, clock, bounds } = this.#options;
    const news = new WakeSignal();
    const unwatch = workers.owners.watch({
      onOpened: (opened) => {
        if (opened === taskId) news.wake();
      },
      onGap: news.wake,
    });
    const cancelTimer = clock.after(bounds.workerMs, news.abort);
    try {
      for (let isFirst = true; ; isFirst = false) {
        const owner = await workers.owners.ownerOf(taskId);
        const result = owner && (await attempt(owner));
        if (result !== undefined) return result;
        if (isFirst) await workers.wakes.wake(await this.#rootOf(taskId));
        if (news.isAborted) throw await this.#workerMissing(taskId);
        await news.wait();
      }
    } finally {
      cancelTimer();
      unwatch();
    }
  }

  async #workerMissing(taskId: string): Promise<ServerError> {
    const { workers, bounds } = this.#options;
    const pool = await workers.pools.poolOf(await this.#rootOf(taskId));
    return new ServerError(
      "WORKER_MISSING",
      `Expected a worker of pool ${pool} to open task ${taskId} within ${bounds.workerMs} ms, the limit \`workerMs\`. Check that workers of that pool run, and try again.`,
    );
  }

  /** Workers own a task with its subtasks, and are woken for their root. */
  async #rootOf(taskId: string): Promise<string> {
    const { parentId } = await this.#options.history.summary(taskId);
    return parentId === undefined ? taskId : this.#rootOf(parentId);
  }

  /** The answers of all workers that can be reached. */
  async #all(request: OwnerRequest): Promise<readonly unknown[]> {
    const owners = await this.#options.workers.owners.all();
    const answers = await Promise.all(owners.map((owner) => this.#ask(owner, request)));
    return answers.filter((answer) => answer !== undefined);
  }

  /** The JSON of an answer. Undefined if the worker can't be reached, does not answer in time, or answers with a problem. */
  async #ask(owner: OwnerAddress, request: OwnerRequest): Promise<unknown> {
    const { clock, bounds } = this.#options;
    const late = new AbortController();
    const cancelTimer = clock.after(bounds.answerMs, () => late.abort());
    try {
      const response = await send(owner, { ...request, signal: late.signal });
      return response?.ok === true ? await response.json() : undefined;
    } catch (error) {
      if (late.signal.aborted) return undefined;
      throw error;
    } finally {
      cancelTimer();
    }
  }
}

/** Codes of a connection that was not made: the worker has not got the request. */
const UNREACHED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * Send a request. Undefined if the worker can't be reached, and if it does not answer one that only reads: it may have died, and its
 * lease has not ended yet.
 * @throws ServerError `WORKER_LOST` if a request that changes something may have reached it
 */
export async function send(
  { url, token }: OwnerAddress,
  { method, path, body, headers, signal }: OwnerRequest,
): Promise<Response | undefined> {
  try {
    return await fetch(`${url}${path}`, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    // `fetch` rejects with a TypeError where the network failed.
    if (!(error instanceof TypeError || signal?.aborted === true)) throw error;
    if (method === "GET" || (error instanceof Error && UNREACHED.has(systemCode(error.cause))))
      return undefined;
    throw new ServerError(
      "WORKER_LOST",
      `Expected the worker at ${url} to answer ${method} ${path}, but the connection ended: it may have taken effect. Look at the task, then try again.`,
      { cause: error },
    );
  }
}

/** Whether the worker has not opened the task yet, or has closed it. */
async function isClosed(response: Response): Promise<boolean> {
  if (response.status !== 409) return false;
  const { data } = problemSchema.safeParse(await response.clone().json());
  return data?.code === "TASK_CLOSED";
}
