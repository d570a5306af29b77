import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test as property } from "@fast-check/vitest";
import { afterAll, describe, expect, test } from "vitest";
import { createActor } from "xstate";
import { detectAgentState } from "../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import {
  exportFolder,
  importFolder,
  type JournalDriver,
  memoryJournal,
  readJournal,
} from "../../../store/index.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { replayJournal } from "../../../store/recovery/replay.ts";
import {
  type CommitRecord,
  JOURNAL_VERSION,
  type JournalDraft,
  type JournalHeader,
} from "../../../wire/journal/record.ts";
import { silentActors } from "../../support/silent-actors.ts";
import { conversationsAtRest, logsAtRest } from "../../wire/roo/arbitraries.ts";

const root = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const folder = (): string => mkdtempSync(path.join(root, "task-"));

const UI = "ui_messages.json";
const API = "api_conversation_history.json";
const HISTORY = "history_item.json";
const put = (dir: string, file: string, value: unknown): void =>
  writeFileSync(path.join(dir, file), typeof value === "string" ? value : JSON.stringify(value));
const get = (dir: string, file: string): string => readFileSync(path.join(dir, file), "utf8");
const optionsFor = (driver: JournalDriver) => ({ driver, taskId: "t1", importedAt: 99 });

async function recordsOf(driver: JournalDriver) {
  const records = [];
  for await (const record of readJournal(driver, { onTail: (tail) => expect(tail).toBeUndefined() }))
    records.push(record);
  return records;
}

async function commitOf(driver: JournalDriver): Promise<CommitRecord> {
  const [, commit] = await recordsOf(driver);
  if (commit?.kind !== "commit") throw new Error(`expected a commit, got ${commit?.kind}`);
  return commit;
}

const call = (id: string, name = "read_file") => ({ type: "tool_use" as const, id, name, input: {} });
const text = (content: string) => ({ type: "text" as const, text: content });
const PROMPT = { ts: 5, type: "say" as const, say: "text", text: "Go" };

describe("an imported folder", () => {
  property.prop([logsAtRest, conversationsAtRest], { numRuns: 60 })(
    "is exported unchanged but for the ask to resume, and byte for byte from the second export on",
    async (messages, conversation) => {
      const [from, to, second, third] = [folder(), folder(), folder(), folder()];
      put(from, UI, [PROMPT, ...messages]);
      put(from, API, conversation);
      const driver = memoryJournal();
      const imported = await importFolder(from, optionsFor(driver));
      expect(imported).toEqual({
        taskId: "t1",
        rows: messages.length + 1,
        entries: conversation.length,
        report: [],
      });
      await exportFolder(driver, to);
      // The journal's parser reorders fields.
      const exported: ClineMessage[] = JSON.parse(get(to, UI));
      expect(exported.slice(0, messages.length + 1)).toEqual([PROMPT, ...messages]);
      // Nobody runs the copy.
      const rest = exported.slice(messages.length + 1).map(({ ask }) => ask);
      expect(["", "resume_task"]).toContain(rest.join());
      expect(["idle", "resumable"]).toContain(detectAgentState(exported).state);
      expect(JSON.parse(get(to, API))).toEqual(conversation);
      // An import closes the ask to resume.
      for (const [source, target] of [
        [to, second],
        [second, third],
      ] as const) {
        const copy = memoryJournal();
        await importFolder(source, optionsFor(copy));
        await exportFolder(copy, target);
      }
      expect([get(third, UI), get(third, API)]).toEqual([get(second, UI), get(second, API)]);
    },
  );

  test("becomes a header and one commit with the total usage", async () => {
    const dir = folder();
    const request = (ts: number, info: unknown) => ({
      ts,
      type: "say",
      say: "api_req_started",
      text: JSON.stringify(info),
    });
    put(dir, UI, [
      PROMPT,
      request(6, { tokensIn: 3, tokensOut: 1, cacheReads: 7, cost: 0.5 }),
      request(7, { tokensIn: 4, cacheWrites: 2, cost: 1e308 }),
      request(8, { tokensIn: "many", cost: 1.7e308 }),
    ]);
    const driver = memoryJournal();
    await importFolder(dir, { ...optionsFor(driver), workspace: "/src" });
    const [header] = await recordsOf(driver);
    expect(header).toEqual({
      seq: 0,
      kind: "header",
      version: JOURNAL_VERSION,
      taskId: "t1",
      createdAt: 5,
      workspace: "/src",
    });
    expect(await commitOf(driver)).toMatchObject({
      at: 99,
      before: "no_task",
      after: "running",
      facts: { total: { tokensIn: 7, tokensOut: 1, cacheWrites: 2, cacheReads: 7, cost: 0.5 } },
    });
  });

  test("has U+FFFD for half of a character, which each later request would send, and reports it", async () => {
    const dir = folder();
    const cut = (content: string) => `${content} \ud83d`;
    put(dir, UI, [PROMPT, { ts: 6, type: "say", say: "text", text: cut("half") }]);
    put(dir, API, [
      { role: "user", content: [text("Go \u{1f600}")] },
      { role: "assistant", content: [text("Yes."), { ...call("c"), input: { [cut("path")]: [cut("a")] } }] },
    ]);
    const driver = memoryJournal();
    const { report } = await importFolder(dir, optionsFor(driver));
    const what = "Half of a surrogate pair was replaced by U+FFFD.";
    expect(report.filter(({ rule }) => rule === "format")).toEqual([
      { file: UI, index: 1, rule: "format", what },
      { file: API, index: 1, rule: "format", what },
    ]);
    const recorded = JSON.stringify(await commitOf(driver));
    expect(recorded).not.toMatch(/\\ud83d/);
    expect(recorded).toContain("Go \u{1f600}");
    expect(recorded).toContain('"path \ufffd":["a \ufffd"]');
    expect(recorded).toContain("half \ufffd");
  });

  test("leaves out and reports a value that a journal can't keep, and imports the rest", async () => {
    const dir = folder();
    put(dir, UI, [PROMPT]);
    const deep = `${"[".repeat(300)}${"]".repeat(300)}`;
    const answer = { role: "assistant", content: [text("Yes.")] };
    const entries = [
      JSON.stringify({ role: "user", content: [text("Go")] }),
      `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"n","input":{"a":${deep}}}]}`,
      JSON.stringify(answer),
    ];
    writeFileSync(path.join(dir, API), `[${entries.join(",")}]`);
    const driver = memoryJournal();
    const { report, entries: count } = await importFolder(dir, optionsFor(driver));
    expect(report).toContainEqual({
      file: API,
      index: 1,
      rule: "format",
      what: "A value was left out: it is nested more than 256 levels deep.",
    });
    expect(count).toBe(2);
  });

  test("has workspace, mode and parents of its history item", async () => {
    const dir = folder();
    put(dir, UI, [PROMPT]);
    put(dir, HISTORY, {
      id: "c",
      workspace: "/src",
      mode: "ask",
      parentTaskId: "p",
      rootTaskId: "r",
      status: "active",
    });
    const driver = memoryJournal();
    expect(await importFolder(dir, optionsFor(driver))).toMatchObject({ report: [] });
    const [header] = await recordsOf(driver);
    expect(header).toMatchObject({ workspace: "/src", parent: { taskId: "p", rootId: "r" } });
    expect(await commitOf(driver)).toMatchObject({ facts: { mode: "ask" } });
    const other = memoryJournal();
    await importFolder(dir, { ...optionsFor(other), workspace: "/mine" });
    expect((await recordsOf(other))[0]).toMatchObject({ workspace: "/mine" });
  });

  test.each([
    ["{", ['The file was left out: expected a JSON object, got "{".']],
    ["[]", ['The file was left out: expected a JSON object, got "[]".']],
    [
      { workspace: 7, mode: "no slug", parentTaskId: "../p", status: "done" },
      [
        "The invalid field workspace was left out: 7.",
        'The invalid field mode was left out: "no slug".',
        'The invalid field parentTaskId was left out: "../p".',
        'The invalid field status was left out: "done".',
      ],
    ],
    [
      { status: "completed" },
      ["The status completed was left out: the messages do not end with a completion."],
    ],
  ])(
    "with the history item %j is imported without what is malformed, which is reported",
    async (item, found) => {
      const dir = folder();
      put(dir, UI, [PROMPT]);
      put(dir, HISTORY, item);
      const driver = memoryJournal();
      const { rows, report } = await importFolder(dir, optionsFor(driver));
      expect(rows).toBe(1);
      expect(report.map(({ file, what }) => [file, what])).toEqual(found.map((what) => [HISTORY, what]));
      expect((await recordsOf(driver))[0]).not.toHaveProperty("parent");
    },
  );

  test("of a completed task keeps its completion call open for the user's next message", async () => {
    const dir = folder();
    put(dir, UI, [
      PROMPT,
      { ts: 6, type: "say", say: "completion_result", text: "Done." },
      { ts: 7, type: "ask", ask: "completion_result" },
    ]);
    put(dir, API, [
      { role: "user", content: [text("Go")] },
      { role: "assistant", content: [call("a", "attempt_completion")] },
    ]);
    const driver = memoryJournal();
    await importFolder(dir, optionsFor(driver));
    expect(await commitOf(driver)).toMatchObject({
      after: "idle",
      calls: [{ phase: "asking", toolUseId: "a", ask: "completion_result" }],
      facts: { result: "Done." },
    });
  });

  test("can have messages only, or a conversation only, whose prompt becomes the first message", async () => {
    const [messages, conversation] = [folder(), folder()];
    put(messages, UI, [PROMPT]);
    put(conversation, API, [{ role: "user", content: [text("Go")] }]);
    expect(await importFolder(messages, optionsFor(memoryJournal()))).toMatchObject({
      rows: 1,
      entries: 0,
      report: [],
    });
    const driver = memoryJournal();
    const { report } = await importFolder(conversation, optionsFor(driver));
    expect(report.map(({ what }) => what)).toEqual([
      "There are no messages; one was made from the prompt in the conversation.",
    ]);
    expect((await commitOf(driver)).log).toEqual([
      { type: "log.replaced", messages: [{ ts: 99, type: "say", say: "text", text: "Go" }] },
    ]);
  });

  test.each([
    ["EXCHANGE_MISSING", {}],
    ["EXCHANGE_EMPTY", { [UI]: [], [API]: [] }],
    ["EXCHANGE_INVALID", { [UI]: "{}" }],
    ["EXCHANGE_INVALID", { [UI]: [PROMPT], [API]: "[1" }],
    ["EXCHANGE_TOO_LARGE", { [UI]: [{ ...PROMPT, text: "x".repeat(300) }] }],
  ])("that is invalid is rejected with %s, and no journal is written", async (code, files) => {
    const dir = folder();
    for (const [file, value] of Object.entries(files)) put(dir, file, value);
    const driver = memoryJournal();
    const options = { ...optionsFor(driver), fileBytesMax: 200 };
    await expect(importFolder(dir, options)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(dir),
    });
    expect(await recordsOf(driver)).toEqual([]);
  });

  test("is not imported into a journal with records", async () => {
    const dir = folder();
    put(dir, UI, [PROMPT]);
    const driver = memoryJournal();
    await importFolder(dir, optionsFor(driver));
    await expect(importFolder(dir, optionsFor(driver))).rejects.toMatchObject({ code: "JOURNAL_EXISTS" });
  });
});

describe("an exported folder", () => {
  async function journal(
    commit: Partial<Extract<JournalDraft, { kind: "commit" }>>,
    more: Partial<JournalHeader> = {},
  ): Promise<JournalDriver> {
    const driver = memoryJournal();
    const header: JournalDraft = {
      seq: 0,
      kind: "header",
      version: JOURNAL_VERSION,
      taskId: "t1",
      createdAt: 1,
      ...more,
    };
    const log = [{ type: "message.appended" as const, message: PROMPT }];
    const record: JournalDraft = {
      seq: 1,
      kind: "commit",
      at: 1,
      before: "no_task",
      after: "running",
      log,
      ...commit,
    };
    await driver.append([header, record].map(encodeLine), { first: true });
    return driver;
  }
  const entries = [
    { role: "user" as const, content: [text("Go")] },
    { role: "assistant" as const, content: [call("a"), call("b"), call("c", "execute_command")] },
  ];
  const conversation = entries.map((entry) => ({ type: "entry.appended" as const, entry }));
  const identity = { name: "read_file", ask: "tool" as const };

  test("contains the tool results and user messages of the next request", async () => {
    const driver = await journal({
      conversation,
      calls: [
        {
          ...identity,
          callId: "1",
          toolUseId: "a",
          phase: "settled",
          outcome: { kind: "done", content: [text("A")] },
        },
        {
          ...identity,
          callId: "3",
          toolUseId: "c",
          name: "execute_command",
          phase: "running",
          replayable: false,
        },
      ],
      facts: { pending: [text("and then?")] },
    });
    const dir = folder();
    await exportFolder(driver, dir);
    const content = JSON.parse(get(dir, API))[2].content;
    expect(content).toMatchObject([
      { tool_use_id: "a", content: [text("A")] },
      { tool_use_id: "b", is_error: true },
      { tool_use_id: "c", is_error: true, content: [{ text: expect.stringContaining("uncertain") }] },
      text("and then?"),
    ]);
  });

  test("has the history item of the task, with all subtasks that it waits for", async () => {
    const total = { tokensIn: 1, tokensOut: 2, cacheWrites: 3, cacheReads: 4, cost: 0.5 };
    const phase = "delegated" as const;
    const calls = [1, 2].map((number) => ({
      ...{ callId: String(number), toolUseId: `a${number}`, phase, input: {} },
      childId: `t1.${number}`,
    }));
    const dir = folder();
    await exportFolder(
      await journal(
        { facts: { total, mode: "ask" }, calls: calls.map((each) => ({ ...identity, ...each })) },
        { workspace: "/src", parent: { taskId: "p", rootId: "r", callId: "c" } },
      ),
      dir,
    );
    const { cost: totalCost, ...tokens } = total;
    expect(JSON.parse(get(dir, HISTORY))).toEqual({
      id: "t1",
      number: 1,
      ts: 1,
      task: "Go",
      ...tokens,
      totalCost,
      size: statSync(path.join(dir, UI)).size + statSync(path.join(dir, API)).size,
      workspace: "/src",
      mode: "ask",
      rootTaskId: "r",
      parentTaskId: "p",
      status: "delegated",
      delegatedToId: "t1.1",
      awaitingChildId: "t1.1",
      childIds: ["t1.1", "t1.2"],
    });
    const plain = folder();
    await exportFolder(await journal({ after: "idle.completed" }), plain);
    expect(JSON.parse(get(plain, HISTORY))).toMatchObject({ mode: "code", status: "completed" });
    const again = memoryJournal();
    await importFolder(dir, optionsFor(again));
    expect((await recordsOf(again))[0]).toMatchObject({
      workspace: "/src",
      parent: { taskId: "p", rootId: "r" },
    });
  });

  test("ends with the last response if its tool calls have no results", async () => {
    const dir = folder();
    await exportFolder(await journal({ conversation }), dir);
    expect(JSON.parse(get(dir, API))).toEqual(entries);
  });

  test("of a killed task is closed as opening the task closes it (L3, L4, L8)", async () => {
    const request = { ts: 6, type: "say" as const, say: "api_req_started" as const, text: "{}" };
    const growing = { ts: 7, type: "ask" as const, ask: "tool", text: "{", partial: true };
    const messages = [PROMPT, request, growing];
    const driver = await journal({ after: "streaming.receiving", log: [{ type: "log.replaced", messages }] });
    const before = await recordsOf(driver);
    const dir = folder();
    await exportFolder(driver, dir);
    const exported: ClineMessage[] = JSON.parse(get(dir, UI));
    expect(exported).toEqual([
      PROMPT,
      { ...request, text: expect.stringContaining('"cancelReason":"streaming_failed"') },
      { ...growing, partial: false, closing: "withdrawn" },
      { ts: expect.any(Number), type: "ask", ask: "resume_task", text: "" },
    ]);
    expect(await recordsOf(driver)).toEqual(before);
    const replayed = await replayJournal(driver);
    const reopened = replayed && { ...replayed.recorded, openedAt: 99 };
    const actor = createActor(taskMachine.provide({ actors: silentActors }), {
      input: { taskId: "t1", ...(reopened && { reopened }) },
    }).start();
    const opened = actor.getSnapshot().context.log.toArray();
    actor.stop();
    expect(opened.map(({ ts: _, ...row }) => row)).toEqual(exported.map(({ ts: _, ...row }) => row));
  });

  test("rejects if a file exists, and replaces it with force", async () => {
    const driver = await journal({ conversation });
    const dir = folder();
    put(dir, API, "mine");
    await expect(exportFolder(driver, dir)).rejects.toMatchObject({ code: "EXCHANGE_EXISTS" });
    expect(readdirSync(dir)).toEqual([API]);
    expect(get(dir, API)).toBe("mine");
    await exportFolder(driver, dir, { force: true });
    expect(readdirSync(dir)).toEqual([API, HISTORY, UI]);
    expect(JSON.parse(get(dir, UI))).toEqual([PROMPT, expect.objectContaining({ ask: "resume_task" })]);
  });

  test.skipIf(process.platform === "win32")("is private", async () => {
    const dir = folder();
    await exportFolder(await journal({}), dir);
    expect(statSync(path.join(dir, UI)).mode & 0o077).toBe(0);
  });

  test("of an empty journal is rejected", async () => {
    await expect(exportFolder(memoryJournal(), folder())).rejects.toMatchObject({ code: "EXCHANGE_EMPTY" });
  });

  test("of a torn journal has the messages before the tail, and returns the tail", async () => {
    const driver = await journal({});
    await driver.append(["half"]);
    const exported = await exportFolder(driver, folder());
    expect(exported).toMatchObject({ rows: 2, tail: { line: 3 } });
  });

  test("that cannot be written is rejected with EXCHANGE_IO", async () => {
    const file = path.join(folder(), "file");
    writeFileSync(file, "");
    await expect(exportFolder(await journal({}), file)).rejects.toMatchObject({ code: "EXCHANGE_IO" });
  });
});
