import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Answer } from "../../../machines/message/asks.ts";
import { builtinTools, defineTool, type PolicyCall } from "../../../tools/index.ts";
import { DONE, messagesOf, openRig, type Rig, type RigOptions, resultsOf } from "../../support/host.ts";

const turn = (name: string, input: object): string => JSON.stringify({ tool: name, input });

/** A task that asks about this call. */
async function askingRig(name: string, input: object, options: RigOptions = {}): Promise<Rig> {
  const rig = await openRig({ script: `[${turn(name, input)}, ${DONE}]`, ...options });
  rig.task.run("Do it").catch(() => undefined);
  return rig;
}

/** The results of the newest request, once the task is complete. */
async function resultOf(rig: Rig): Promise<string> {
  await rig.ask("completion");
  return resultsOf(rig.sent().at(-1) ?? []).join("\n");
}

const said = ({ task }: Rig, say: string) =>
  task.log
    .toArray()
    .filter((message) => message.say === say)
    .map(({ text }) => text ?? "");

const DIFF = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE";
const askAlways = () => ({ kind: "ask" }) as const;

describe("an approval with an edited content", () => {
  test.each([
    ["write_to_file", { path: "a.txt", content: "one\n2\n" }],
    ["apply_diff", { path: "a.txt", diff: DIFF }],
    ["edit_file", { path: "a.txt", old_string: "two", new_string: "2" }],
  ])("of %s: the file has it, the log and the model get the diff", async (name, input) => {
    const tools = builtinTools({ include: ["edit_file"] });
    await using rig = await askingRig(name, input, { tools, files: { "a.txt": "one\ntwo\n" } });
    const ask = await rig.ask("tool");
    expect(ask.proposal).toMatchObject({
      kind: "file",
      path: "a.txt",
      before: "one\ntwo\n",
      after: "one\n2\n",
    });
    expect(ask.approve({ amendment: { content: "one\nTWO\n" } })).toEqual({ ok: true });
    const result = await resultOf(rig);
    expect(await rig.file("a.txt")).toBe("one\nTWO\n");
    const edits = "@@ -1,2 +1,2 @@\n one\n-2\n+TWO";
    expect(JSON.parse(result)).toMatchObject({ path: "a.txt", operation: "modified", user_edits: edits });
    const [diff = ""] = said(rig, "user_feedback_diff");
    expect(JSON.parse(diff)).toEqual({ tool: "editedExistingFile", path: "a.txt", diff: edits });
    expect(messagesOf(rig.task)).toContain("ask:tool (answered)");
  });

  test("of a new file, with feedback: the conversation keeps what the model sent (L6)", async () => {
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new\n" });
    const ask = await rig.ask("tool");
    expect(ask.proposal).toEqual({ kind: "file", path: "a.txt", base: "none", after: "new\n" });
    ask.approve({ text: "With a greeting", amendment: { content: "hello\n" } });
    const result = await resultOf(rig);
    expect(await rig.file("a.txt")).toBe("hello\n");
    expect(result).toContain('"feedback":"With a greeting"');
    expect(said(rig, "user_feedback")).toContain("With a greeting");
    const calls = rig.task.snapshot.context.conversation
      .toArray()
      .flatMap(({ content }) => content.flatMap((block) => (block.type === "tool_use" ? [block.input] : [])));
    expect(calls[0]).toEqual({ path: "a.txt", content: "new\n" });
  });

  test("that is the proposed one: no message, and the usual result", async () => {
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new\n" });
    (await rig.ask("tool")).approve({ amendment: { content: "new\n" } });
    expect(await resultOf(rig)).not.toContain("user_edits");
    expect(said(rig, "user_feedback_diff")).toEqual([]);
  });

  test("does not write a file that changed in the meantime, and notifies user and model", async () => {
    await using rig = await askingRig(
      "apply_diff",
      { path: "a.txt", diff: DIFF },
      { files: { "a.txt": "one\ntwo\n" } },
    );
    const ask = await rig.ask("tool");
    await writeFile(path.join(rig.dir, "a.txt"), "one\ntwo\nthree\n");
    expect(ask.approve({ amendment: { content: "edited\n" } })).toEqual({ ok: true });
    expect(await resultOf(rig)).toContain("'a.txt' has changed since this call was sent");
    expect(await rig.file("a.txt")).toBe("one\ntwo\nthree\n");
    expect(said(rig, "error").join()).toContain("'a.txt' has changed since this call was sent");
  });

  test("does not write a new file that exists in the meantime", async () => {
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new\n" });
    const ask = await rig.ask("tool");
    await writeFile(path.join(rig.dir, "a.txt"), "of another\n");
    ask.approve({ amendment: { content: "edited\n" } });
    expect(await resultOf(rig)).toContain("'a.txt' has changed since this call was sent");
    expect(await rig.file("a.txt")).toBe("of another\n");
  });

  test("is judged as it runs: a policy that denies it wins, and a yes answers one that asks (L7, GATE)", async () => {
    const judged: unknown[] = [];
    const policy = ({ input }: PolicyCall) => {
      judged.push(input);
      return input.content === "secret"
        ? ({ kind: "deny", rule: "no secrets", reason: "it is secret" } as const)
        : ({ kind: "ask" } as const);
    };
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new" }, { policy });
    (await rig.ask("tool")).approve({ amendment: { content: "secret" } });
    expect(await resultOf(rig)).toContain("no secrets");
    await expect(rig.file("a.txt")).rejects.toThrow("ENOENT");
    expect(judged.slice(0, 2)).toEqual([
      { path: "a.txt", content: "new" },
      { path: "a.txt", content: "secret" },
    ]);
  });

  test("and a rule: the rule is added, and the call runs as edited", async () => {
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new" });
    (await rig.ask("tool")).approve({ rule: "edit(a.txt)", amendment: { content: "edited" } });
    await resultOf(rig);
    expect(await rig.file("a.txt")).toBe("edited");
    expect(rig.task.snapshot.context.permissions.rules).toEqual([{ level: "allow", rule: "edit(a.txt)" }]);
  });

  test("is recorded with the decision, before the call starts (L7, L11)", async () => {
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new" });
    const answered = rig.until(({ commit }) => commit.cause?.type === "ask.answered");
    (await rig.ask("tool")).approve({ amendment: { content: "edited" } });
    const { commit } = await answered;
    const [decision] = commit.decisions;
    expect(decision).toMatchObject({ by: { person: true }, amendment: { content: "edited", base: "none" } });
    expect(commit.effects.filter(({ effect }) => effect === "tool")).toEqual([]);
    await resultOf(rig);
    await rig.task.flushed();
    const journal = await readFile(path.join(rig.dataDir, "tasks", rig.task.id, "journal.jsonl"), "utf8");
    expect(journal).toContain(JSON.stringify(decision));
  });

  test("works after the task was passive, through an ask of before", async () => {
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new" });
    const ask = await rig.ask("tool");
    await rig.task.flushed();
    expect(await rig.task.passivate()).toBe(true);
    expect(ask.approve({ amendment: { content: "edited" } })).toEqual({ ok: true });
    await resultOf(rig);
    expect(await rig.file("a.txt")).toBe("edited");
  });
});

describe("an approval with an edited todo list", () => {
  test("the log and the model have the list in force", async () => {
    const script = `[${turn("update_todo_list", { todos: "[ ] one" })}, ${turn("list_files", { path: ".", recursive: false })}, ${DONE}]`;
    await using rig = await openRig({
      script,
      policy: ({ tool }) => (tool.name === "update_todo_list" ? askAlways() : { kind: "allow", rule: "r" }),
    });
    rig.task.run("Do it").catch(() => undefined);
    const ask = await rig.ask("tool");
    expect(ask.proposal).toEqual({ kind: "todos", after: "[ ] one" });
    ask.approve({ amendment: { todos: "[x] one\n[ ] two" } });
    await rig.ask("completion");
    const [, second = []] = rig.sent();
    expect(resultsOf(second).join()).toBe("User edits todo:\n\n[x] one\n[ ] two");
    const [edited = ""] = said(rig, "user_edit_todos");
    expect(JSON.parse(edited)).toMatchObject({
      tool: "updateTodoList",
      todos: [
        { content: "one", status: "completed" },
        { content: "two", status: "pending" },
      ],
    });
  });
});

describe("an approval of some of the files of a read", () => {
  const files = [{ path: "a.txt" }, { path: "b.txt", line_ranges: [[1, 1]] }];
  const options = { files: { "a.txt": "of a\n", "b.txt": "of b\nmore\n" }, policy: askAlways };

  test("the refused ones get a denied result, the others are read", async () => {
    await using rig = await askingRig("read_file", { files }, options);
    const ask = await rig.ask("tool");
    expect(ask.proposal).toEqual({ kind: "files", paths: ["a.txt", "b.txt"] });
    expect(JSON.parse(ask.text)).toEqual({
      tool: "readFile",
      batchFiles: [
        { path: "a.txt", lineSnippet: "", isOutsideWorkspace: false, key: "a.txt" },
        { path: "b.txt", lineSnippet: "lines 1-1", isOutsideWorkspace: false, key: "b.txt" },
      ],
    });
    ask.approve({ amendment: { files: { "a.txt": false, "b.txt": true } } });
    const result = await resultOf(rig);
    expect(result).toContain("File: b.txt (lines 1-1 of 2)\n1 | of b");
    expect(result).toContain("File: a.txt\nStatus: Denied by user");
    expect(result).not.toContain("of a");
  });

  test("a plain yes is for all", async () => {
    await using rig = await askingRig("read_file", { files }, options);
    (await rig.ask("tool")).approve();
    const result = await resultOf(rig);
    expect(result).toContain("1 | of a");
    expect(result).toContain("1 | of b");
  });

  test("a map without a path refuses it", async () => {
    await using rig = await askingRig("read_file", { files }, options);
    (await rig.ask("tool")).approve({ amendment: { files: {} } });
    expect(await resultOf(rig)).not.toContain("of ");
  });
});

describe("an amendment that the call does not take is refused, changes nothing and loses nothing (L7, L8)", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;

  test.each<readonly [string, Record<string, unknown>]>([
    ["another path", { content: "x", path: "b.txt" }],
    ["a wrong type", { content: 7 }],
    ["no content", {}],
    ["unknown keys", { content: "x", mode: "0777" }],
    ["more than 1 MB", { content: "x".repeat(1_000_000) }],
    ["a cycle", cyclic],
    ["of another tool", { files: { "a.txt": true } }],
    ["a base that is no text", { content: "x", base: {} }],
  ])("%s", async (_, amendment) => {
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new" });
    const ask = await rig.ask("tool");
    const before = rig.task.log.length;
    expect(rig.task.answer(ask.id, { kind: "yes", amendment })).toMatchObject({
      ok: false,
      code: "ANSWER_REFUSED",
      message: expect.stringContaining("Correct it by the ask's proposal"),
    });
    expect(rig.task.log.length).toBe(before);
    ask.approve();
    await resultOf(rig);
    expect(await rig.file("a.txt")).toBe("new");
  });

  test.each<readonly [string, unknown]>([
    ["an array", ["x"]],
    ["a text", "x"],
    ["null", null],
  ])("%s in place of an object", async (_, amendment) => {
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new" });
    const ask = await rig.ask("tool");
    const answer: Answer = { kind: "yes" };
    expect(rig.task.answer(ask.id, Object.assign(answer, { amendment }))).toMatchObject({
      ok: false,
      code: "ANSWER_REFUSED",
    });
  });

  test("a path that the read does not have", async () => {
    const files = [{ path: "a.txt" }, { path: "b.txt" }];
    await using rig = await askingRig("read_file", { files }, { policy: askAlways });
    const ask = await rig.ask("tool");
    expect(ask.approve({ amendment: { files: { "a.txt": true, "../etc/passwd": true } } })).toMatchObject({
      ok: false,
      code: "ANSWER_REFUSED",
      message: expect.stringContaining("the call does not read '../etc/passwd'"),
    });
  });

  test("for a command, which takes none", async () => {
    await using rig = await askingRig("execute_command", { command: "echo hi" });
    const ask = await rig.ask("command");
    expect(ask.approve({ amendment: { content: "x" } })).toMatchObject({
      ok: false,
      code: "ANSWER_REFUSED",
      message: expect.stringContaining("takes no amendment"),
    });
  });

  test("twice, and after the ask is closed", async () => {
    await using rig = await askingRig("write_to_file", { path: "a.txt", content: "new" });
    const ask = await rig.ask("tool");
    expect(ask.approve({ amendment: { content: "first" } })).toEqual({ ok: true });
    expect(ask.approve({ amendment: { content: "second" } })).toMatchObject({
      ok: false,
      code: "ASK_ALREADY_ANSWERED",
    });
    await resultOf(rig);
    expect(ask.approve({ amendment: { content: "third" } })).toMatchObject({ ok: false });
    expect(await rig.file("a.txt")).toBe("first");
  });

  test("a path that an amendment of a tool of the embedder adds", async () => {
    const ran: unknown[] = [];
    const touch = defineTool({
      name: "touch",
      description: "Touches.",
      inputSchema: z.object({ path: z.string() }),
      effect: "writes",
      describe: async (input, { workspace }) => ({
        text: "touch",
        paths: [await workspace.resolve(input.path)],
        proposal: { kind: "todos", after: input.path },
      }),
      amend: (_, { todos }) => ({
        input: { path: String(todos) },
        describe: async ({ workspace }) => ({
          text: "touch",
          paths: [await workspace.resolve(String(todos))],
        }),
        execute: async () => {
          ran.push(todos);
          return { content: [] };
        },
      }),
      execute: () => "touched",
    });
    await using rig = await askingRig("touch", { path: "a.txt" }, { tools: [touch] });
    (await rig.ask("tool")).approve({ amendment: { todos: "b.txt" } });
    await rig.until(({ commit }) => commit.log.length > 0 && commit.after.startsWith("idle"));
    expect(said(rig, "error").join()).toContain("adds the path 'b.txt'");
    expect(ran).toEqual([]);
  });
});
