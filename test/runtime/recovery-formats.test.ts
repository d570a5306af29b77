import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { validateConversation } from "../../machines/conversation/validate.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import { type JournalDriver, MemoryStore, memoryJournal } from "../../store/index.ts";
import { encodeLine } from "../../store/journal/line.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import { allowEverything } from "../../tools/index.ts";
import { JOURNAL_VERSION } from "../../wire/journal/record.ts";
import { fold, isOpenAsk } from "../crash/fold.ts";
import { recordsOf, wholeLines } from "../crash/records.ts";
import { call, complete, deferred, scripted } from "../support/model.ts";

const CORPUS = fileURLToPath(new URL("../fixtures/journals/", import.meta.url));
const files = (await readdir(CORPUS, { recursive: true }))
  .filter((file) => file.endsWith(".jsonl"))
  .toSorted();

let workspace = "";
let mock: MockServer;
beforeAll(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), "formats-"));
  const done = "- { tool: attempt_completion, input: { result: Done. } }\n";
  mock = await startMock(parseScript(done.repeat(30)));
});
afterAll(async () => {
  await mock.close();
  await rm(workspace, { recursive: true, force: true });
});

/** A journal of the fixtures, or a prefix of it, in its own host. */
class Opened {
  readonly #stores = new Map<string, MemoryStore>();
  readonly taskId: string;

  constructor(journal: Buffer) {
    this.taskId = String(recordsOf(journal)[0]?.taskId);
    this.#stores.set(this.taskId, new MemoryStore(journal));
  }

  get journal(): Buffer {
    return Buffer.concat(this.#store(this.taskId).chunks());
  }

  #store(taskId: string): MemoryStore {
    const store = this.#stores.get(taskId) ?? new MemoryStore();
    this.#stores.set(taskId, store);
    return store;
  }

  host(): Host {
    return createHost({
      journal: (taskId): JournalDriver => memoryJournal({ store: this.#store(taskId) }),
    });
  }

  open(host: Host): Promise<Task> {
    const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock.url });
    return host.open(this.taskId, { model, workspace, permissions: { judge: allowEverything() } });
  }
}

function expectRest(opened: Opened, task: Task): void {
  const { messages, state, broken } = fold(recordsOf(opened.journal));
  expect(broken).toEqual([]);
  expect(messages.map(({ ts }) => ts)).toEqual(task.log.toArray().map(({ ts }) => ts));
  expect(["resumable", "idle"]).toContain(task.state.state);
  expect(state.split(".")[0]).toBe(task.state.state);
  expect(messages.filter(isOpenAsk).map(({ ask }) => ask)).toEqual([messages.at(-1)?.ask]);
  expect(messages.at(-1)?.ask).toMatch(/^resume_(completed_)?task$/);
}

describe.each(files)("the journal %s", (file) => {
  test("L11: opens at rest, obeys L1-L6, and resumes to its completion", async () => {
    const opened = new Opened(await readFile(path.join(CORPUS, file)));
    const host = opened.host();
    const task = await opened.open(host);
    expectRest(opened, task);
    const end = task.run("Go on.");
    // Queued messages and replies to an earlier completion are included.
    expect((await end).result).toBe("Done.");
    // The completion itself has no result yet.
    const history = task.snapshot.context.conversation.toArray().slice(0, -1);
    expect(validateConversation(history)).toEqual([]);
    await host.closeAll();
    const { messages, broken } = fold(recordsOf(opened.journal));
    expect(broken).toEqual([]);
    expect(messages.length).toBe(task.log.length);
  });

  test("L11: opens at rest from each of its prefixes", async () => {
    const whole = await readFile(path.join(CORPUS, file));
    let at = 0;
    for (const [index, line] of wholeLines(whole).entries()) {
      at += line.length + 1;
      if (index === 0) continue;
      const opened = new Opened(whole.subarray(0, at));
      const host = opened.host();
      expectRest(opened, await opened.open(host));
      await host.closeAll();
    }
  });
});

const versionsIn = ({ journal }: Opened): readonly (readonly [number, unknown])[] =>
  recordsOf(journal).flatMap(({ seq, kind, version }) => (kind === "version" ? [[seq, version]] : []));

describe("a task of an older version", () => {
  test.each(files.filter((file) => !file.startsWith("v3")))(
    "gets one version record before its first commit, when it is opened first: %s",
    async (file) => {
      const whole = await readFile(path.join(CORPUS, file));
      const opened = new Opened(whole);
      const length = recordsOf(whole).length;
      for (const _opening of [1, 2]) {
        const host = opened.host();
        await opened.open(host);
        await host.closeAll();
        expect(opened.journal.subarray(0, whole.length)).toEqual(whole);
        expect(versionsIn(opened)).toEqual([[length, JOURNAL_VERSION]]);
      }
      // The process ended within the write of its first commit.
      const lines = wholeLines(opened.journal);
      const upTo = Buffer.concat(lines.slice(0, length + 1).flatMap((line) => [line, Buffer.from("\n")]));
      const torn = new Opened(Buffer.concat([upTo, lines[length + 1]?.subarray(0, -1) ?? Buffer.alloc(0)]));
      const host = torn.host();
      const task = await torn.open(host);
      expect(task.dropped).toMatchObject({ kind: "torn", line: length + 2 });
      expectRest(torn, task);
      expect((await task.run("Go on.")).result).toBe("Done.");
      await host.closeAll();
      expect(versionsIn(torn)).toEqual([[length, JOURNAL_VERSION]]);
    },
  );

  test("and one of this version get no version record when they become passive and are activated", async () => {
    for (const [file, versions] of [
      ["v2/approving.jsonl", 1],
      ["v3/opaque.jsonl", 0],
    ] as const) {
      const opened = new Opened(await readFile(path.join(CORPUS, file)));
      const host = opened.host();
      const task = await opened.open(host);
      expect(await task.passivate()).toBe(true);
      expect((await task.run("Go on.")).result).toBe("Done.");
      await host.closeAll();
      expect(versionsIn(opened)).toHaveLength(versions);
    }
  });

  test("is not opened if records of a later version follow, and nothing is written", async () => {
    const whole = await readFile(path.join(CORPUS, "v2/approving.jsonl"));
    const seq = recordsOf(whole).length;
    const later = encodeLine({ seq, kind: "version", at: 1, version: JOURNAL_VERSION + 1 });
    const opened = new Opened(Buffer.concat([whole, Buffer.from(`${later}\n`)]));
    const before = opened.journal;
    const host = opened.host();
    await expect(opened.open(host)).rejects.toMatchObject({
      code: "JOURNAL_VERSION",
      message: expect.stringContaining(`Line ${seq + 1}: `),
    });
    expect(opened.journal).toEqual(before);
    await host.closeAll();
  });
});

describe("L12: a task of an older version", () => {
  test("gets an uncertain result for the running command, and the real result of the call before it", async () => {
    const opened = new Opened(await readFile(path.join(CORPUS, "v1/commanding.jsonl")));
    const host = opened.host();
    const task = await opened.open(host);
    await task.run("Go on.");
    const results = task.snapshot.context.conversation
      .toArray()
      .flatMap(({ content }) =>
        content.flatMap((block) => (block.type === "tool_result" ? [JSON.stringify(block.content)] : [])),
      );
    expect(results).toHaveLength(2);
    expect(results[0]).toContain("out.txt");
    expect(results[1]).toContain("outcome of execute_command is uncertain");
    await host.closeAll();
  });

  test.each(["v1/waiting.jsonl", "v1/cancelled.jsonl", "v2/approving.jsonl"])(
    "keeps the results of this version when its process ends within a turn again: %s",
    async (file) => {
      const opened = new Opened(await readFile(path.join(CORPUS, file)));
      const taskId = opened.taskId;
      const crashed = deferred();
      const model = scripted(
        Array.from(
          { length: 9 },
          () =>
            async function* () {
              yield* call("execute_command", { command: "echo done > out.txt" }, "toolu_new1");
              yield* call("execute_command", { command: "cat" }, "toolu_new2");
              yield {
                type: "finished",
                stopReason: "tool_use",
                usage: { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 },
              };
            },
        ),
      );
      const first = opened.host();
      const task = await first.open(taskId, {
        model,
        workspace,
        permissions: {
          judge: async ({ input }) =>
            input.command === "cat" ? { kind: "ask" } : { kind: "allow", rule: "test" },
        },
      });
      task.asks$.subscribe((ask) => {
        if (ask.kind === "command") crashed.resolve();
      });
      task.run("Go on.").catch(() => undefined);
      await crashed.promise;
      // The first call has its result, the second has an open ask: the process ends.
      const copy = new Opened(opened.journal);
      await first.closeAll();
      const again = copy.host();
      const reopened = await again.open(taskId, {
        model: scripted(Array.from({ length: 20 }, () => () => complete())),
        workspace,
      });
      expectRest(copy, reopened);
      expect((await reopened.run("Go on.")).result).toBe("Done.");
      const results = new Map(
        reopened.snapshot.context.conversation
          .toArray()
          .flatMap(({ content }) =>
            content.flatMap((block): [string, string][] =>
              block.type === "tool_result" ? [[block.tool_use_id, JSON.stringify(block.content)]] : [],
            ),
          ),
      );
      expect(results.get("toolu_new1")).toContain("Exit code: 0");
      expect(results.get("toolu_new2")).toContain("was interrupted");
      await again.closeAll();
    },
  );
});
