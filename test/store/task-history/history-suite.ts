import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JournalDriver } from "../../../ports/journal.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import type { TaskHistory } from "../../../store/task-history/task-history.ts";
import type { SearchHit } from "../../../wire/http/search.ts";
import { JOURNAL_VERSION, type JournalDraft, type JournalHeader } from "../../../wire/journal/record.ts";
import { commit, costing, started } from "./data-folder.ts";

/** A store of tasks with its history. */
export interface HistoryRig {
  readonly history: TaskHistory;
  /** Write the bytes of a new journal. */
  put(id: string, bytes: Buffer): Promise<void>;
  journal(id: string): JournalDriver;
  /** Remove all tasks. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** The bytes of a journal with a header and records. */
export function journalOf(
  taskId: string,
  records: readonly JournalDraft[],
  header: Partial<JournalHeader> = {},
): Buffer {
  const first = {
    seq: 0,
    kind: "header",
    version: JOURNAL_VERSION,
    taskId,
    createdAt: 1,
    ...header,
  } as const;
  return Buffer.from([first, ...records].map((record) => `${encodeLine(record)}\n`).join(""));
}

/** The tests that each store of tasks passes. */
export function describeHistory(name: string, open: () => Promise<HistoryRig>): void {
  describe(`the task history in ${name}`, () => {
    let rig: HistoryRig;
    beforeAll(async () => {
      rig = await open();
    });
    beforeEach(() => rig.clear());
    afterAll(() => rig.close());

    const write = (id: string, records: readonly JournalDraft[], header: Partial<JournalHeader> = {}) =>
      rig.put(id, journalOf(id, records, header));
    const list: TaskHistory["list"] = (options) => rig.history.list(options);
    const ids = async (options?: Parameters<TaskHistory["list"]>[0]) =>
      (await list(options)).map(({ id }) => id);
    const subtask = (taskId: string, rootId: string) => ({ parent: { taskId, rootId, callId: "c" } });
    const at = (time: number) => [started("go"), commit(2, { at: time, after: "resumable" })];

    test("has the model of the last request of a task, also once its journal has grown", async () => {
      const model = (id: string) => ({ facts: { model: { provider: "mock", id } } });
      const summarized = async () => [(await list())[0]?.model, (await rig.history.summary("a")).model];
      await write("a", [started("go"), commit(2, model("m1")), commit(3)]);
      expect(await summarized()).toEqual(["mock/m1", "mock/m1"]);
      expect(await rig.history.read("a")).toMatchObject({ model: "mock/m1" });
      const driver = rig.journal("a");
      await driver.own();
      await driver.append([encodeLine(commit(4))]);
      expect(await summarized()).toEqual(["mock/m1", "mock/m1"]);
      await driver.append([encodeLine(commit(5, model("m2")))]);
      expect(await summarized()).toEqual(["mock/m2", "mock/m2"]);
      await driver.close();
    });

    test("lists each task with its summary, newest first", async () => {
      await write(
        "a",
        [started("Fix the tests\nand the docs"), commit(2, { ...costing(0.5), after: "idle.completing" })],
        {
          workspace: "/src",
        },
      );
      await write("b", [started("  \n Tidy  up "), commit(2, { after: "streaming.receiving", at: 99 })], {
        forkedFrom: { taskId: "a", seq: 1 },
      });
      await write("b.1", [started("Help")], subtask("b", "b"));
      await write("empty", []);
      const facts = { createdAt: 1, mode: "code" };
      const interrupted = {
        state: "resumable",
        isInterrupted: true,
        rest: "interrupted",
        isCompleted: false,
      };
      expect(await list()).toMatchObject([
        {
          id: "b",
          title: "Tidy up",
          forkedFrom: { taskId: "a", seq: 1 },
          updatedAt: 99,
          lastSeq: 2,
          ...facts,
          ...interrupted,
        },
        {
          id: "a",
          title: "Fix the tests",
          workspace: "/src",
          updatedAt: 20,
          state: "idle",
          rest: "completed",
          cost: 0.5,
          ...facts,
        },
        {
          id: "b.1",
          title: "Help",
          parentId: "b",
          rootId: "b",
          updatedAt: 10,
          lastSeq: 1,
          ...facts,
          ...interrupted,
        },
        {
          id: "empty",
          title: "",
          updatedAt: 1,
          state: "no_task",
          isInterrupted: false,
          lastSeq: 0,
          ...facts,
        },
      ]);
      for (const summary of await list()) expect(await rig.history.summary(summary.id)).toEqual(summary);
      expect((await rig.history.ids()).toSorted()).toEqual(["a", "b", "b.1", "empty"]);
    });

    test("lists what was appended since the last list, also while a process has the task open", async () => {
      await write("a", [started("go")]);
      await write("b", at(15));
      expect(await ids()).toEqual(["b", "a"]);
      const driver = rig.journal("a");
      await driver.own();
      expect(await list()).toMatchObject([
        { id: "b" },
        { id: "a", heldBy: { pid: process.pid }, isInterrupted: false },
      ]);
      for (const seq of [2, 3]) {
        await driver.append([encodeLine(commit(seq, { after: "resumable", ...costing(seq) }))]);
        expect(await list()).toMatchObject([{ id: "a", lastSeq: seq, cost: seq }, { id: "b" }]);
      }
      await driver.append([encodeLine(commit(4, { after: "resumable", ...costing(4) }))]);
      await driver.close();
      const [a] = await list();
      expect(a).toMatchObject({ id: "a", lastSeq: 4, cost: 4, state: "resumable" });
      expect(a).not.toHaveProperty("heldBy");
      const later = rig.journal("a");
      await later.append([encodeLine(commit(5, { after: "resumable" }))]);
      await later.close();
      expect((await list())[0]).toMatchObject({ id: "a", lastSeq: 5 });
    });

    test("lists tasks in pages, without a gap between them", async () => {
      const times = [30, 20, 20, 20, 10, 50, 40];
      for (const [index, time] of times.entries()) await write(`task-${index}`, at(time));
      const all = await ids();
      expect(all).toEqual(["task-5", "task-6", "task-0", "task-1", "task-2", "task-3", "task-4"]);
      const pages: string[][] = [];
      for (let page = await list({ limit: 2 }); page.length > 0; ) {
        pages.push(page.map(({ id }) => id));
        const after = page.at(-1);
        page = after === undefined ? [] : await list({ limit: 2, after });
      }
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 2, 1]);
      expect(pages.flat()).toEqual(all);
      expect(await ids({ limit: 0 })).toEqual([]);
    });

    test("lists the tasks of a workspace, with subtasks that work elsewhere for a task of it", async () => {
      await write("a", [started("go")], { workspace: "/src" });
      await write("a.1", at(20), { workspace: "/copy", ...subtask("a", "a") });
      await write("a.1.1", at(30), { workspace: "/src", ...subtask("a.1", "a") });
      await write("b", at(40), { workspace: "/other" });
      expect(await ids({ workspace: "/src" })).toEqual(["a.1.1", "a.1", "a"]);
      expect(await ids({ workspace: "/copy" })).toEqual(["a.1"]);
      expect(await ids({ workspace: "/src", limit: 2 })).toEqual(["a.1.1", "a.1"]);
      expect(await ids({ workspace: "/none" })).toEqual([]);
      await rig.history.delete("a");
      expect(await ids({ workspace: "/src" })).toEqual(["a.1.1"]);
    });

    test.each([
      ["parser", ["b", "a"]],
      ["PARS", ["b", "a"]],
      ["fix parser", ["a"]],
      ["parser tests", []],
      ["größer", ["c"]],
      ["project-x", ["b"]],
      ["c", ["c", "b", "a"]],
      ["'; & | ! :*", ["c", "b", "a"]],
      ["fix & !parser", ["a"]],
    ])("lists the tasks that have each word of a text: %s", async (search, expected) => {
      await write("a", [started("Fix the parser")]);
      await write("b", at(20), { workspace: "/src/project-x", title: "Parser: code" });
      await write("c", at(30), { title: "Größer (code)" });
      expect(await ids({ search })).toEqual(expected);
      expect(await ids({ search, limit: 1 })).toEqual(expected.slice(0, 1));
    });

    test("finds a task by its new name, and no longer by the old one", async () => {
      await write("a", [started("Fix the parser")]);
      await list();
      await rig.history.rename("a", " The lexer ");
      expect((await list())[0]?.title).toBe("The lexer");
      expect((await rig.history.read("a")).title).toBe("The lexer");
      expect(await ids({ search: "lexer" })).toEqual(["a"]);
      expect(await ids({ search: "parser" })).toEqual([]);
      await rig.history.rename("a", " ");
      expect((await list())[0]?.title).toBe("Fix the parser");
      expect(await ids({ search: "lexer" })).toEqual([]);
    });

    test("names a task while a process has it open", async () => {
      await write("a", [started("go")]);
      const driver = rig.journal("a");
      await driver.own();
      await list();
      await rig.history.rename("a", "Mine");
      expect((await list({ search: "mine" }))[0]).toMatchObject({
        title: "Mine",
        heldBy: { pid: process.pid },
      });
      await driver.close();
      expect(await ids({ search: "mine" })).toEqual(["a"]);
    });

    test.each([["two\nlines"], ["a \u001b[2J colour"], ["x".repeat(201)]])(
      "rejects the name %j",
      async (given) => {
        await write("a", [started("go")]);
        await expect(rig.history.rename("a", given)).rejects.toMatchObject({ code: "NAME_INVALID" });
        await expect(rig.history.rename("none", "b")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
      },
    );

    test("reads a task, its messages and its usage", async () => {
      await write("a", [started("go"), commit(2, { ...costing(2), after: "streaming.receiving" })]);
      const read = await rig.history.read("a");
      expect(read).toMatchObject({ id: "a", cost: 2, lastSeq: 2, isInterrupted: true });
      expect(read.rows).toMatchObject([
        { seq: 1, row: { text: "go" } },
        { seq: 2, row: { ask: "resume_task" } },
      ]);
      const [{ ...summary } = { id: "" }] = await list();
      expect(read).toMatchObject(summary);
      await expect(rig.history.read("none")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
      await expect(rig.history.summary("none")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
      await expect(rig.history.read("../a")).rejects.toMatchObject({ code: "ID_INVALID" });
    });

    test("finds a task by a prefix of its id", async () => {
      for (const id of ["abc1", "abc1.1", "abc1-x", "abd2", "abd2.1"]) await write(id, [started("go")]);
      for (const [given, id] of [
        ["abc1", "abc1"],
        ["abc1-", "abc1-x"],
        ["abd", "abd2"],
        ["abd.1", "abd2.1"],
      ] as const)
        expect(await rig.history.find(given)).toBe(id);
      await expect(rig.history.find("ab")).rejects.toMatchObject({ code: "TASK_AMBIGUOUS" });
      await expect(rig.history.find("x")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
      await expect(rig.history.find("../x")).rejects.toMatchObject({ code: "ID_INVALID" });
    });

    test("forks a task, and leaves the original unchanged", async () => {
      await write("a", [started("go"), commit(2, costing(1)), commit(3, costing(2))], { workspace: "/src" });
      await rig.history.rename("a", "Mine");
      const before = await rig.history.summary("a");
      const fork = await rig.history.fork("a", { at: 2, newId: "b", createdAt: 77 });
      expect(fork).toEqual({ id: "b", forkedFrom: { taskId: "a", seq: 2 } });
      expect(await rig.history.summary("a")).toEqual(before);
      expect(await list()).toMatchObject([
        {
          id: "b",
          title: "Mine",
          createdAt: 77,
          workspace: "/src",
          forkedFrom: { taskId: "a", seq: 2 },
          cost: 1,
          lastSeq: 2,
        },
        { id: "a", lastSeq: 3 },
      ]);
      expect((await rig.history.read("b")).rows).toMatchObject([{ seq: 1 }, { seq: 2 }]);
      await expect(rig.history.fork("a", { newId: "b" })).rejects.toMatchObject({ code: "TASK_EXISTS" });
      await expect(rig.history.fork("a", { at: 9 })).rejects.toMatchObject({ code: "FORK_INVALID" });
      await expect(rig.history.fork("none")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
      const driver = rig.journal("b");
      await driver.append([encodeLine(commit(3, { after: "resumable" }))]);
      await driver.close();
      expect(await rig.history.summary("b")).toMatchObject({ lastSeq: 3 });
    });

    test("forks a task that another driver has open", async () => {
      await write("a", [started("go"), commit(2)]);
      const driver = rig.journal("a");
      await driver.own();
      expect((await rig.history.fork("a", { newId: "b" })).forkedFrom.seq).toBe(2);
      await driver.close();
      expect(await rig.history.summary("b")).not.toHaveProperty("heldBy");
    });

    test("deletes a task, and returns its remaining subtasks", async () => {
      await write("a", [started("go")]);
      await write("a.1", [started("help")], subtask("a", "a"));
      await write("a.1.1", [started("help")], subtask("a.1", "a"));
      await write("b", at(20));
      expect(await rig.history.delete("a")).toEqual({ deleted: ["a"], remaining: ["a.1", "a.1.1"] });
      expect(await ids()).toEqual(["b", "a.1", "a.1.1"]);
      await expect(rig.history.delete("a")).rejects.toMatchObject({ code: "TASK_UNKNOWN" });
      await write("a", at(30));
      expect(await list({ limit: 1 })).toMatchObject([{ id: "a", updatedAt: 30 }]);
    });

    test("deletes subtasks before their parents, and marks a deleted subtask in its parent (L16)", async () => {
      await write("a", [started("go")]);
      await write("a.1", [started("help")], subtask("a", "a"));
      await write("a.2", [started("help")], subtask("a", "a"));
      await write("a.2.1", [started("help")], subtask("a.2", "a"));
      const marks = () => Promise.all(["a.1", "a.2"].map((id) => rig.journal("a").hasDeleted?.(id)));
      expect(await marks()).toEqual([false, false]);
      expect(await rig.history.delete("a.2", { recursive: true })).toEqual({
        deleted: ["a.2.1", "a.2"],
        remaining: [],
      });
      expect(await marks()).toEqual([false, true]);
      expect(await rig.history.delete("a", { recursive: true })).toEqual({
        deleted: ["a.1", "a"],
        remaining: [],
      });
      expect(await list()).toEqual([]);
      expect(await marks()).toEqual([false, false]);
    });

    test("deletes nothing if one of the tasks is open, and names its owner", async () => {
      await write("a", [started("go")]);
      await write("a.1", [started("help")], subtask("a", "a"));
      const driver = rig.journal("a");
      await driver.own();
      await expect(rig.history.delete("a", { recursive: true })).rejects.toMatchObject({
        code: "JOURNAL_LOCKED",
        message: expect.stringContaining(String(process.pid)),
      });
      expect((await ids()).toSorted()).toEqual(["a", "a.1"]);
      await driver.close();
      await rig.history.delete("a", { recursive: true });
      expect(await ids()).toEqual([]);
    });

    test("reports a torn end, an invalid header and a damaged line", async () => {
      const records = [started("go"), ...Array.from({ length: 400 }, (_, n) => commit(n + 2, costing(n)))];
      const whole = journalOf("damaged", records).toString().split("\n");
      const damaged = whole.with(200, (whole[200] ?? "").replace("cost", "lost")).join("\n");
      await rig.put("damaged", Buffer.from(damaged));
      await rig.put("torn", Buffer.concat([journalOf("torn", [started("go")]), Buffer.from('{"crc":"')]));
      await rig.put("unreadable", Buffer.from("no header\n"));
      const problems = Object.fromEntries((await list()).map(({ id, problem }) => [id, problem]));
      expect(problems).toMatchObject({
        damaged: { kind: "damaged", reason: expect.stringMatching(/^line 201: /) },
        torn: { kind: "torn" },
        unreadable: { kind: "unreadable", reason: expect.stringContaining("line 1") },
      });
      expect((await rig.history.read("damaged")).tail).toMatchObject({ kind: "damaged", line: 201 });
      expect(await rig.history.summary("damaged")).toMatchObject({ lastSeq: 199 });
      expect((await rig.history.fork("damaged", { newId: "saved" })).forkedFrom.seq).toBe(199);
    });

    test("finds the facts behind records of any length", async () => {
      const long = "x".repeat(100_000);
      const say = (ts: number) =>
        ({ type: "message.appended", message: { ts, type: "say", say: "error", text: long } }) as const;
      const records = Array.from({ length: 30 }, (_, n) =>
        commit(n + 3, { after: "running.calling", log: [say(100 + n)] }),
      );
      await write("a", [started(`Read this: ${long}`), commit(2, costing(1.25)), ...records]);
      const [task] = await list();
      expect(task).toMatchObject({ cost: 1.25, lastSeq: 32, state: "resumable" });
      expect(task?.title).toMatch(/^Read this: x+…$/);
      expect(await rig.history.summary("a")).toEqual(task);
    });

    const hits = async (search: Parameters<TaskHistory["search"]>[0]): Promise<readonly SearchHit[]> => {
      const found: SearchHit[] = [];
      for await (const hit of rig.history.search(search)) found.push(hit);
      return found;
    };

    test("finds the records that have a text, whatever its case and its signs, with its surroundings", async () => {
      const text = 'It says "No such FILE" in C:\\tmp. Grüße, ΝΑΙ: all [done].';
      await write("a", [
        started("go"),
        commit(2, {
          log: [{ type: "message.appended", message: { ts: 20, type: "say", say: "text", text } }],
        }),
      ]);
      await write("b", at(20));
      for (const wanted of ['"no such file"', "c:\\TMP", "grüße", "GRÜßE", "ναι", "all [done]."])
        expect(await hits({ text: wanted }), wanted).toMatchObject([{ taskId: "a", record: 2 }]);
      expect((await hits({ text: "such" }))[0]?.excerpt).toContain('It says "No such FILE" in C:\\tmp.');
      for (const wanted of ["no.such", "zebra", ""]) expect(await hits({ text: wanted }), wanted).toEqual([]);
    });

    test("finds at most 5 records of a task, and the tasks that called a tool", async () => {
      const texts = Array.from({ length: 9 }, (_, n) =>
        commit(n + 2, {
          log: [
            {
              type: "message.appended",
              message: { ts: n + 20, type: "say", say: "text", text: `zebra ${n}` },
            },
          ],
        }),
      );
      await write("a", [started("go"), ...texts]);
      const entry = {
        role: "assistant" as const,
        content: [{ type: "tool_use" as const, id: "t1", name: "read_file", input: { path: "a" } }],
      };
      await write("b", [started("go"), commit(2, { conversation: [{ type: "entry.appended", entry }] })]);
      expect((await hits({ text: "zebra" })).map(({ record }) => record)).toEqual([2, 3, 4, 5, 6]);
      expect(await hits({ tool: "read_file" })).toMatchObject([{ taskId: "b", record: 2 }]);
      expect(await hits({ tool: "write_file" })).toEqual([]);
    });

    test("passes over lines that are no records", async () => {
      await rig.put(
        "a",
        Buffer.concat([journalOf("a", [started("go")]), Buffer.from([0xff, 0x00]), Buffer.from(" zebra")]),
      );
      expect(await hits({ text: "zebra" })).toEqual([]);
    });
  });
}
