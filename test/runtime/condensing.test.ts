import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { createHost } from "../../runtime/host.ts";
import { runs } from "../support/campaigns.ts";
import { openRig, PIXEL, type Rig, textsOf } from "../support/host.ts";

/** Reads the same file until the user says to stop, and summarizes when it is asked to. */
const READING = `rules:
  - when: { user: "Write a summary that replaces" }
    turns: [{ text: "The file was read. Nothing is left to do but to read on." }]
  - when: { user: "Stop now" }
    turns: [{ text: "I stop." }]
  - when: { tool: read_file }
    turns: [{ tool: read_file, input: { path: notes.md } }]
turns:
  - { tool: read_file, input: { path: notes.md } }
`;
const FILES = { "notes.md": `${"A line of notes that fills the window.\n".repeat(30)}` };
const ENDLESS = { repetitions: 0, requests: 1_000_000 };

/** Stops the task after this many requests. */
function stopAfter({ task }: Rig, requests: number): void {
  let count = 0;
  task.events$.subscribe(({ commit }) => {
    for (const event of commit.log)
      if (event.type === "message.appended" && event.message.say === "api_req_started") {
        count += 1;
        if (count === requests) task.queue("Stop now");
      }
  });
}

const saying = ({ task }: Rig, say: string) => task.log.toArray().filter((message) => message.say === say);
const statuses = ({ mock }: Rig) => new Set(mock?.requests.map(({ status }) => status));

describe("a task with a context window of 20,000 tokens", () => {
  // With passivation after every commit, a tenth of them.
  const turns = process.env.SIGNALBOX_PASSIVE === "1" ? 200 : runs(800, 200);
  it(`ends after ${turns} turns, and no request is longer than the window (COMPACT)`, {
    timeout: 1_200_000,
  }, async () => {
    await using rig = await openRig({
      script: READING,
      files: FILES,
      mock: { contextWindow: 20_000 },
      anthropic: { contextWindow: 20_000 },
      limits: ENDLESS,
    });
    stopAfter(rig, turns);
    expect(await rig.task.run("Read the notes")).toMatchObject({ result: "I stop." });
    expect(statuses(rig)).toEqual(new Set([200]));
    expect(saying(rig, "api_req_started").length).toBeGreaterThanOrEqual(turns);
    expect(saying(rig, "condense_context").length).toBeGreaterThan(turns / 60);
    expect(saying(rig, "condense_context_error")).toEqual([]);
  });

  it("keeps its todo list and its newest user message", async () => {
    await using rig = await openRig({
      script: READING.replace(
        "turns:\n  - { tool: read_file",
        "turns:\n  - { tool: update_todo_list, input: { todos: '[ ] read on' } }\n  - { tool: read_file",
      ),
      files: FILES,
      anthropic: { contextWindow: 20_000 },
      limits: ENDLESS,
      policy: () => ({ kind: "allow", rule: "all" }),
    });
    stopAfter(rig, 60);
    await rig.task.run("Read the notes");
    const last = JSON.stringify(rig.sent().at(-1));
    expect(last).toContain("# Todo list\\n- [ ] read on");
    expect(last).toContain("Stop now");
    expect(saying(rig, "condense_context").length).toBeGreaterThan(0);
  });
});

describe("a full window that the endpoint reports", () => {
  it("is condensed where the window is unknown, and the request is sent again", async () => {
    await using rig = await openRig({
      script: READING,
      files: FILES,
      mock: { contextWindow: 9_000 },
      anthropic: { model: "unknown-model" },
      limits: ENDLESS,
    });
    stopAfter(rig, 30);
    expect(await rig.task.run("Read the notes")).toMatchObject({ result: "I stop." });
    const rejected = rig.mock?.requests.filter(({ status }) => status === 400) ?? [];
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected[0]?.error?.message).toContain("prompt is too long");
    expect(saying(rig, "condense_context").length).toBe(rejected.length);
  });

  it("is an ask that names the reason where there is nothing to condense", async () => {
    await using rig = await openRig({ script: READING, files: FILES, mock: { contextWindow: 100 } });
    expect(await rig.task.run("Read the notes")).toMatchObject({ ask: "failure" });
    expect(rig.task.log.at(-1)?.text).toContain("prompt is too long");
  });
});

describe("a request whose estimated tokens reach the threshold", () => {
  // An image is estimated at 1,600 tokens; the mock server counts the characters of this one.
  const images = Array.from({ length: 12 }, () => PIXEL);
  const script = `rules:
  - when: { user: "Write a summary that replaces" }
    turns: [{ text: "The user greeted twice." }]
turns:
  - { text: "${"One. ".repeat(2_000)}" }
  - { text: "Two." }
  - { text: "Three." }
`;
  /** A task that sends the images with its third request. */
  async function withImages(rig: Rig): Promise<void> {
    for (const text of ["Hello", "Hello again"]) await rig.task.run(text);
    await rig.task.run("What is on these?", { images });
  }
  const counts = ({ mock }: Rig) => mock?.requests.filter(({ path: at }) => at.endsWith("/count_tokens"));
  const WINDOW = { contextWindow: 20_000 };

  it("is sent as it is where the endpoint counts fewer", async () => {
    await using rig = await openRig({ script, mock: WINDOW, anthropic: WINDOW });
    await withImages(rig);
    expect(saying(rig, "condense_context")).toEqual([]);
    expect(rig.sent()).toHaveLength(3);
    expect(rig.sent().at(-1)).toHaveLength(5);
    const [count, ...others] = counts(rig) ?? [];
    expect([count?.status, others]).toEqual([200, []]);
    const { before, after } =
      rig.shown.find(({ commit }) => commit.cause?.type === "condense.unneeded")?.commit ?? {};
    expect([before, after]).toEqual(["streaming.condensing", "streaming.receiving"]);
    expect(rig.task.snapshot.context.contextTokens).toBeLessThan(16_000);
  });

  it("is condensed where the endpoint has no counting", async () => {
    const without: typeof fetch = (url, init) =>
      String(url).includes("count_tokens")
        ? Promise.resolve(new Response("{}", { status: 404 }))
        : fetch(url, init);
    await using rig = await openRig({ script, mock: WINDOW, anthropic: { ...WINDOW, fetch: without } });
    await withImages(rig);
    expect(saying(rig, "condense_context")).toMatchObject([
      { contextCondense: { summary: "The user greeted twice." } },
    ]);
    expect(rig.sent()).toHaveLength(4);
  });
});

const CONVERSATION = `rules:
  - when: { user: "Write a summary that replaces" }
    turns: [{ text: "The user greeted twice." }]
turns:
  - { text: "${"One. ".repeat(100)}" }
  - { text: "Two." }
  - { text: "Three." }
`;

describe("a condensation that is requested by hand", () => {
  it("is part of the next request, with the instructions of the user", async () => {
    await using rig = await openRig({ script: CONVERSATION });
    await rig.task.run("Hello", { images: [PIXEL] });
    await rig.task.run("Hello again");
    expect(rig.task.compact("Keep the greetings.")).toEqual({ ok: true });
    await rig.task.flushed();
    expect(rig.task.snapshot.context.compaction).toMatchObject({ state: "requested", by: "user" });
    expect(rig.sent()).toHaveLength(2);
    await rig.task.run("And now?");
    const [summary, next] = rig.sent().slice(2);
    expect(textsOf(summary ?? []).join("\n")).toContain(
      "<user_message>\nKeep the greetings.\n</user_message>",
    );
    expect(next).toHaveLength(3);
    expect(JSON.stringify(next?.[0])).toContain("The user greeted twice.");
    expect(rig.task.snapshot.context.compaction).toBeNull();
  });

  it("is refused before there is a conversation, and once the task is closed", async () => {
    await using rig = await openRig({ script: CONVERSATION });
    expect(rig.task.compact()).toMatchObject({ ok: false, code: "TASK_NOT_STARTED" });
    await rig.task.run("Hello");
    await rig.task.close();
    expect(rig.task.compact()).toMatchObject({ ok: false, code: "TASK_CLOSED" });
  });
});

describe("a crash at each record of a condensation", () => {
  it("leaves the old or the new conversation, and the task completes (COMPACT, L11)", async () => {
    await using rig = await openRig({ script: CONVERSATION });
    const { task, mock, dataDir, dir } = rig;
    await task.run("Hello");
    await task.run("Hello again");
    task.compact();
    await task.run("And now?");
    const conversation = task.snapshot.context.conversation.toArray();
    await task.close();
    const folder = path.join(dataDir, "tasks", task.id);
    const lines = (await readFile(path.join(folder, "journal.jsonl"), "utf8")).split("\n").slice(0, -1);
    const begin = lines.findIndex((line) => line.includes('"compact.requested"'));
    const end = lines.findLastIndex((line) => line.includes('"entries.replaced"'));
    expect(end).toBeGreaterThan(begin + 2);
    for (let length = begin + 1; length <= end + 2; length += 1) {
      const copy = path.join(path.dirname(dataDir), `crash-${length}`);
      await cp(path.join(folder, "journal.jsonl"), path.join(copy, "tasks", task.id, "journal.jsonl"));
      await writeFile(
        path.join(copy, "tasks", task.id, "journal.jsonl"),
        `${lines.slice(0, length).join("\n")}\n`,
      );
      const host = createHost({ dataDir: copy });
      const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock?.url });
      const reopened = await host.open(task.id, { model, workspace: dir });
      const { conversation: found, compaction } = reopened.snapshot.context;
      const isNew =
        found.length < 5 &&
        found
          .at(0)
          ?.content.some((block) => block.type === "text" && block.text.includes("<conversation_summary>"));
      expect(isNew).toBe(length > end);
      expect(compaction === null).toBe(length > end);
      expect(await reopened.run("And now?")).toMatchObject({ state: "idle", ask: "completion" });
      expect(reopened.snapshot.context.conversation.at(0)).toEqual(conversation[0]);
      await host.closeAll();
    }
  });
});
