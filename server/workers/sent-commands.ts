import { randomUUID } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import { sendCommand } from "../../runtime/inbox/send-command.ts";
import { assertChosenId } from "../../store/task-history/task-folder.ts";
import type { TaskInfo } from "../../wire/http/api.ts";
import type { InboxCommandInput } from "../../wire/inbox.ts";
import { DEFAULT_POOL } from "../../wire/pool.ts";
import type { ServerBounds } from "../bounds.ts";
import { RejectedError, ServerError } from "../error.ts";
import { type NewTaskBody, TaskCommands, type TaskCommandsOptions } from "../tasks/task-commands.ts";
import type { OwnerRequests } from "./owner-requests.ts";
import type { ServedWorkers } from "./workers.ts";

export interface SentCommandsOptions extends TaskCommandsOptions {
  readonly workers: ServedWorkers;
  readonly owners: OwnerRequests;
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "workerMs">;
}

/**
 * Commands to tasks that workers run. Those that start, continue, pause and cancel a task go through its inbox: they are
 * kept until a worker takes them, each once.
 */
export class SentCommands extends TaskCommands {
  readonly #options: SentCommandsOptions;

  constructor(options: SentCommandsOptions) {
    super(options);
    this.#options = options;
  }

  override async create({ id = randomUUID(), images, pool, ...body }: NewTaskBody): Promise<TaskInfo> {
    assertChosenId(id);
    const { pool: standard = DEFAULT_POOL } = this.#options.workers;
    return this.#send(id, { kind: "start", ...body, images: [...images] }, pool ?? standard);
  }

  override open(taskId: string): Promise<TaskInfo> {
    return this.#options.owners.open(taskId);
  }

  override async continue(taskId: string, text: string, images: readonly string[]): Promise<TaskInfo> {
    return this.#sendTo(taskId, { kind: "continue", text, images: [...images] });
  }

  override pause(taskId: string): Promise<TaskInfo> {
    return this.#sendTo(taskId, { kind: "pause" });
  }

  override cancel(taskId: string): Promise<TaskInfo> {
    return this.#sendTo(taskId, { kind: "cancel" });
  }

  /** The worker closes it when it is at rest. */
  override async close(taskId: string): Promise<void> {
    await this.cancel(taskId);
  }

  override async pauseAll(): Promise<{ readonly tasks: readonly TaskInfo[] }> {
    return { tasks: await this.#options.owners.pauseAll() };
  }

  async #sendTo(taskId: string, command: InboxCommandInput): Promise<TaskInfo> {
    await this.#options.list.assertExists(taskId);
    return this.#send(taskId, command);
  }

  /** `pool`: of a command that starts the task. */
  async #send(taskId: string, command: InboxCommandInput, pool?: string): Promise<TaskInfo> {
    const { list, bounds, clock } = this.#options;
    const { inbox, wakes, pools } = this.#options.workers;
    const waitMs = bounds.workerMs;
    const given = pool === undefined ? {} : { pool };
    const outcome = await sendCommand(taskId, command, { inbox, wakes, clock, waitMs, ...given });
    if (outcome === undefined) throw waiting(taskId, await pools.poolOf(taskId), waitMs);
    const { refused, message = `Task ${taskId} refused to ${command.kind}. Look at its state.` } = outcome;
    if (refused === undefined) return list.get(taskId);
    throw new RejectedError({ code: refused, message });
  }
}

const waiting = (taskId: string, pool: string, ms: number): ServerError =>
  new ServerError(
    "COMMAND_WAITS",
    `Expected a worker of pool ${pool} to take the command for task ${taskId} within ${ms} ms, the limit \`workerMs\`. It is stored, and taken when a worker of that pool runs: do not repeat it.`,
  );
