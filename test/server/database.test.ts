import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { taskInfoSchema, taskListSchema } from "../../wire/http/api.ts";
import { type Built, build } from "../cli/built.ts";
import { Process, temporaryFolder } from "../cli/process.ts";
import { PostgresRig } from "../store/postgres/rig.ts";
import { hasPostgres } from "../support/postgres.ts";

const SCRIPT = `
- { tool: ask_followup_question, input: { question: "Which?", follow_up: [{ text: This, mode: null }] } }
- { tool: attempt_completion, input: { result: Done. } }
`;

describe.skipIf(!hasPostgres)("signalbox serve --database", () => {
  const folder = temporaryFolder();
  let built: Built;
  let rig: PostgresRig;
  beforeAll(async () => {
    [built, rig] = await Promise.all([build(), PostgresRig.start()]);
  });
  afterAll(async () => {
    await rig.remove();
    folder.remove();
  });

  function command(...args: readonly string[]): Process {
    const workspace = path.join(folder.path, "work");
    mkdirSync(workspace, { recursive: true });
    const script = path.join(workspace, "script.yaml");
    writeFileSync(script, SCRIPT);
    const own = mkdtempSync(path.join(folder.path, "data-"));
    return new Process(
      built.bin,
      [
        ...["serve", "--port", "0", "--data-dir", own, "--provider", "mock", "--script", script],
        ...["-w", workspace, ...args],
      ],
      { env: { SIGNALBOX_DATABASE: rig.cluster.url() } },
    );
  }

  /** A server of the command, which keeps nothing of a task in files. */
  class ServedDatabase {
    readonly process: Process;
    readonly #url: string;
    readonly #headers: Readonly<Record<string, string>>;

    private constructor(process: Process) {
      const [, url = "", token = ""] = /Open (http:\S+)\/#token=(\S+)/.exec(process.stdout) ?? [];
      this.process = process;
      this.#url = url;
      this.#headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    }

    static async start(): Promise<ServedDatabase> {
      const process = command("--database");
      await process.said("#token=");
      return new ServedDatabase(process);
    }

    async fetch(
      where: string,
      body?: object,
      method = body === undefined ? "GET" : "POST",
    ): Promise<Response> {
      const json = body === undefined ? {} : { body: JSON.stringify(body) };
      return fetch(`${this.#url}${where}`, { method, headers: this.#headers, ...json });
    }

    async list() {
      return taskListSchema.parse(await (await this.fetch("/api/tasks")).json()).tasks;
    }

    /** Read the stream of all tasks until it says that a task is in a state. */
    async until(id: string, state: string): Promise<void> {
      const stream = await this.fetch("/api/events");
      let received = "";
      for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        received += chunk;
        const events = received.split("\n\n").slice(0, -1);
        if (events.some((event) => event.includes(`"id":"${id}"`) && stateOf(event, id) === state)) return;
      }
    }
  }

  function stateOf(event: string, id: string): string | undefined {
    const data: unknown = JSON.parse(event.slice(event.indexOf("data: ") + 6));
    const list = taskListSchema.safeParse(data);
    if (list.success) return list.data.tasks.find((task) => task.id === id)?.state;
    return taskInfoSchema.parse(data).state;
  }

  test("keeps tasks when the server is killed; another server opens them once its lease has ended", async () => {
    const first = await ServedDatabase.start();
    expect(first.process.stdout).toContain("Serving postgres:///");
    const made = await first.fetch("/api/tasks", { prompt: "Ask me" });
    const { id } = taskInfoSchema.parse(await made.json());
    await first.until(id, "waiting_for_input");
    const second = await ServedDatabase.start();
    expect(await second.list()).toMatchObject([
      { id, title: "Ask me", isOpen: false, state: "waiting_for_input" },
    ]);
    first.process.child.kill("SIGKILL");
    expect(await first.process.code).toBe(null);
    const refused = await second.fetch(`/api/tasks/${id}/open`, {});
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      code: "JOURNAL_LOCKED",
      detail: expect.stringMatching(new RegExp(`process ${first.process.child.pid} on .*its lease ends at`)),
    });
    const interrupted = second.until(id, "resumable");
    await rig.expire(id);
    await interrupted;
    const opened = await second.fetch(`/api/tasks/${id}/open`, {});
    expect(opened.status).toBe(200);
    expect(await opened.json()).toMatchObject({ id, isOpen: true, state: "resumable" });
    expect((await second.fetch(`/api/tasks/${id}/words`, { text: "Go on" })).status).toBe(200);
    await second.until(id, "idle");
    expect((await second.fetch("/api/search?text=ask%20me")).status).toBe(200);
    second.process.child.kill("SIGTERM");
    expect(await second.process.code).toBe(143);
    expect(second.process.stderr).toBe("");
    const { rows } = await rig.admin.query("SELECT owner FROM signalbox.task WHERE id = $1", [id]);
    expect(rows).toEqual([{ owner: null }]);
  });

  test.each([
    ["a wrong host", ["--database", "postgres://me:secret-0123@127.0.0.1:1/app"], /no server listens there/],
    ["a URL of another scheme", ["--database", "mysql://me:secret-0123@db/app"], /begins with "mysql"/],
    ["a schema without tables", ["--database", "--schema", "missing"], /Run `signalbox db migrate`/],
  ])("names %s and what to do, without the password, and exits with 1", async (_, args, reason) => {
    const process = command(...args);
    expect(await process.code).toBe(1);
    expect(process.stderr).toMatch(reason);
    expect(`${process.stdout}${process.stderr}`).not.toContain("secret-0123");
  });
});
