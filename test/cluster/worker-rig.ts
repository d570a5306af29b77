import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { anthropic, createHost, type Task } from "signalbox";
import { expect } from "vitest";
import { z } from "zod";
import { openWakes, type PostgresWakes } from "../../cluster/wakes/wakes.ts";
import type { Inbox } from "../../ports/inbox.ts";
import { type MockServer, parseScript, startMock } from "../../testing/index.ts";
import type { InboxCommandInput } from "../../wire/inbox.ts";
import { PostgresRig } from "../store/postgres/rig.ts";
import { program } from "../support/program.ts";
import type { WorkerInput } from "./worker-input.ts";

const Message = z.union([
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("opening"), taskId: z.string() }),
]);

/** A process of a worker. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  /** The tasks that it has opened or tried to open, in order. */
  readonly opened: readonly string[];
}

/** A database, a mock model, and worker processes over both. */
export class WorkerRig {
  readonly postgres: PostgresRig;
  readonly wakes: PostgresWakes;
  readonly #inbox: Inbox;
  readonly #folder: string;
  readonly #workers: ChildProcess[] = [];
  readonly #mocks: MockServer[] = [];

  private constructor(postgres: PostgresRig, wakes: PostgresWakes, inbox: Inbox, folder: string) {
    this.postgres = postgres;
    this.wakes = wakes;
    this.#inbox = inbox;
    this.#folder = folder;
  }

  static async start(): Promise<WorkerRig> {
    const postgres = await PostgresRig.start();
    const store = await postgres.store();
    const wakes = await openWakes({ url: postgres.cluster.url(), store, onError: console.error });
    return new WorkerRig(postgres, wakes, store.inbox, await mkdtemp(path.join(tmpdir(), "workers-")));
  }

  async mock(script: string): Promise<MockServer> {
    const mock = await startMock(parseScript(script));
    this.#mocks.push(mock);
    return mock;
  }

  /** The lines that the tool appended for a test. */
  effects(name: string): readonly string[] {
    const file = this.#fileOf(name);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
  }

  /** Start a worker. `name`: the file of its effects. */
  async worker(
    name: string,
    mock: MockServer,
    options: Partial<z.infer<typeof WorkerInput>> = {},
  ): Promise<WorkerProcess> {
    const input: z.infer<typeof WorkerInput> = {
      url: this.postgres.cluster.url(),
      mock: mock.url,
      effects: this.#fileOf(name),
      leaseMs: 6_000,
      idleMs: 200,
      drainMs: 60_000,
      ...options,
    };
    const file = await program(new URL("./worker.child.ts", import.meta.url));
    const child = fork(file, [JSON.stringify(input)]);
    this.#workers.push(child);
    const opened: string[] = [];
    await new Promise<void>((resolve, reject) => {
      child.once("exit", () => reject(new Error("The worker ended early.")));
      child.on("message", (message) => {
        const report = Message.parse(message);
        if (report.type === "ready") resolve();
        else opened.push(report.taskId);
      });
    });
    return { child, opened };
  }

  /** A task that has completed once and is closed. `before`: called before that. */
  async task(mock: MockServer, before: (task: Task) => void = () => {}): Promise<string> {
    const store = await this.postgres.store();
    const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock.url });
    const host = createHost({ journal: store.journal });
    const task = await host.create({
      id: this.postgres.newTask(),
      model,
      workspace: false,
      completion: "tool",
    });
    await task.run("Begin");
    before(task);
    await host.closeAll();
    await store.close();
    return task.id;
  }

  /** Give a task a prompt, and wake it several times. */
  async prompt(taskId: string, text: string): Promise<void> {
    await this.command(taskId, { kind: "continue", text });
    await Promise.all([1, 2, 3].map(() => this.wakes.wake(taskId)));
  }

  /** Put a command into the inbox of a task, twice, as a sender without an answer does. `pool`: of a start. */
  async command(taskId: string, command: InboxCommandInput, pool?: string): Promise<void> {
    const id = randomUUID();
    for (const _ of [1, 2]) await this.#inbox.put(taskId, id, command, pool);
  }

  /** Resolves when the task is at rest, and no worker owns it. */
  async completed(taskId: string, result: string): Promise<void> {
    await expect
      .poll(async () => {
        const { rows } = await this.postgres.admin.query<{ owner: string | null; found: boolean }>(
          `SELECT owner, EXISTS (SELECT FROM signalbox.record WHERE task = $1 AND convert_from(content, 'UTF8') LIKE $2) AS found
            FROM signalbox.task WHERE id = $1`,
          [taskId, `%"input":{"result":"${result}"}%`],
        );
        return rows;
      })
      .toEqual([{ owner: null, found: true }]);
  }

  async remove(): Promise<void> {
    for (const child of this.#workers) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await Promise.all(this.#mocks.map((mock) => mock.close()));
    await this.wakes.close();
    await this.postgres.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #fileOf(name: string): string {
    return path.join(this.#folder, name);
  }
}
