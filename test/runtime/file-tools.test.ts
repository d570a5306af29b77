import { copyFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import { createHost } from "../../runtime/host.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import {
  allowEverything,
  builtinTools,
  byRules,
  type CodebaseIndex,
  OPTIONAL_TOOLS,
} from "../../tools/index.ts";
import { openRig, type Rig, resultsOf } from "../support/host.ts";

const tools = builtinTools({ include: OPTIONAL_TOOLS });
const FILES = { "a.txt": "one\n", "b.txt": "two\n" };
const PATCH =
  "*** Begin Patch\\n*** Update File: a.txt\\n@@\\n-one\\n+1\\n*** Update File: b.txt\\n*** Move to: c.txt\\n@@\\n-two\\n+2\\n*** End Patch";
const PATCHES = `{ tool: apply_patch, input: { patch: "${PATCH}" } }`;
const EDITS = "{ tool: edit_file, input: { path: a.txt, old_string: one, new_string: '1' } }";
const GLOBS = "{ tool: glob, input: { pattern: '*.txt' } }";
const DONE = "{ text: Done. }";
const SEARCHES = "{ tool: codebase_search, input: { query: the first } }";
const toolsOf = ({ mock }: Rig): readonly string[] =>
  z
    .object({ tools: z.array(z.object({ name: z.string() })) })
    .parse(mock?.requests[0]?.body)
    .tools.map(({ name }) => name);
const found = [{ path: "a.txt", startLine: 1, endLine: 1, score: 1, text: "one" }];

describe("a task", () => {
  test("is offered glob, but not the optional tools and codebase_search, and accepts none of them", async () => {
    await using rig = await openRig({
      script: `[${EDITS}, ${PATCHES}, ${SEARCHES}, ${DONE}]`,
      files: FILES,
      limits: { mistakes: 10 },
    });
    await rig.task.run("Go");
    expect(toolsOf(rig)).toContain("glob");
    expect(toolsOf(rig)).not.toEqual(expect.arrayContaining(["edit_file"]));
    expect(toolsOf(rig)).not.toEqual(expect.arrayContaining(["codebase_search"]));
    expect(toolsOf(rig)).toContain("command_output");
    const offered = `The tools are: ${toolsOf(rig).join(", ")}.`;
    expect(rig.sent().slice(1).flatMap(resultsOf)).toEqual([
      expect.stringContaining(`Unknown tool 'edit_file'. ${offered}`),
      expect.stringContaining(`Unknown tool 'apply_patch'. ${offered}`),
      expect.stringContaining("This task has no index"),
    ]);
  });

  test("asks about an edit with all its paths, applies it once, and reads without an ask", async () => {
    await using rig = await openRig({ script: `[${GLOBS}, ${PATCHES}, ${DONE}]`, files: FILES, tools });
    const run = rig.task.run("Go");
    const ask = await rig.ask("tool");
    expect(ask.kind === "tool" && ask.paths?.map((each) => each.path)).toEqual(["a.txt", "b.txt", "c.txt"]);
    ask.approve();
    await run;
    expect([await rig.file("a.txt"), await rig.file("c.txt")]).toEqual(["1\n", "2\n"]);
    expect(resultsOf(rig.sent()[1] ?? [])[0]).toMatch(/^[ab]\.txt\n[ab]\.txt$/);
  });

  test.each([
    ["edit_file", EDITS],
    ["apply_patch", PATCHES],
  ])(
    "says to the model that a file changed between the ask and the run of %s, and loses nothing",
    async (_, call) => {
      await using rig = await openRig({ script: `[${call}, ${DONE}]`, files: FILES, tools });
      const run = rig.task.run("Go");
      const ask = await rig.ask("tool");
      await writeFile(path.join(rig.dir, "a.txt"), "theirs\n");
      ask.approve();
      await run;
      expect(resultsOf(rig.sent()[1] ?? [])[0]).toContain("has changed since this call was sent");
      expect([await rig.file("a.txt"), await rig.file("b.txt")]).toEqual(["theirs\n", "two\n"]);
      expect(rig.task.log.toArray().map(({ say }) => say)).toContain("diff_error");
    },
  );

  describe("what somebody else wrote between an ask and its approval", () => {
    const WRITES = "{ tool: write_to_file, input: { path: a.txt, content: mine } }";
    const DELETES =
      '{ tool: apply_patch, input: { patch: "*** Begin Patch\\n*** Delete File: a.txt\\n*** End Patch" } }';

    test.each([
      ["is not overwritten", WRITES, "a.txt"],
      ["is not overwritten where there was no file", WRITES.replace("a.txt", "new.txt"), "new.txt"],
      ["is not deleted", DELETES, "a.txt"],
    ])("%s, and the model reads that it changed (L7)", async (_, call, name) => {
      await using rig = await openRig({ script: `[${call}, ${DONE}]`, files: FILES, tools });
      const run = rig.task.run("Go");
      const ask = await rig.ask("tool");
      await writeFile(path.join(rig.dir, name), "theirs\n");
      ask.approve();
      await run;
      expect(resultsOf(rig.sent()[1] ?? [])[0]).toMatch(
        /has changed since this call was sent.*Read it again/,
      );
      expect(await rig.file(name)).toBe("theirs\n");
    });

    test.each(["edit_file", "apply_patch"])("stays beside an edit of %s that still fits", async (name) => {
      const call = name === "edit_file" ? EDITS : PATCHES;
      await using rig = await openRig({ script: `[${call}, ${DONE}]`, files: FILES, tools });
      const run = rig.task.run("Go");
      const ask = await rig.ask("tool");
      await writeFile(path.join(rig.dir, "a.txt"), "one\ntheirs\n");
      ask.approve();
      await run;
      expect(await rig.file("a.txt")).toBe("1\ntheirs\n");
    });

    test("is overwritten by a call that nobody was asked about, as by any program", async () => {
      await using rig = await openRig({
        script: `[[${WRITES}, ${WRITES.replace("mine", "again")}], ${DONE}]`,
        files: FILES,
        policy: allowEverything(),
      });
      await rig.task.run("Go");
      expect(await rig.file("a.txt")).toBe("again");
    });
  });

  test.each([
    ["edit_file", EDITS],
    ["apply_patch", PATCHES],
  ])("in a mode with a file pattern, every file of %s must match", async (name, call) => {
    const files = { pattern: "^b\\.txt$" };
    const modes = [{ slug: "b-only", name: "B", role: "", permissions: [{ group: "edit" as const, files }] }];
    await using rig = await openRig({
      script: `[${call}, ${DONE}]`,
      files: FILES,
      tools,
      modes,
      mode: "b-only",
    });
    await rig.task.run("Go");
    expect(resultsOf(rig.sent()[1] ?? [])[0], name).toContain(
      "permits edits only of files that match ^b\\\\.txt$",
    );
    expect(await rig.file("a.txt")).toBe("one\n");
  });

  test("a protected or denied file among several decides about the whole patch", async () => {
    const patch = "*** Begin Patch\\n*** Add File: ok.txt\\n+x\\n*** Add File: NAME\\n+x\\n*** End Patch";
    const callOf = (name: string) =>
      `{ tool: apply_patch, input: { patch: "${patch.replace("NAME", name)}" } }`;
    const sources = [{ origin: "test", allow: ["edit(**)"], deny: ["edit(locked/**)"] }];
    await using rig = await openRig({
      script: `[${callOf("locked/x")}, ${callOf(".git/config")}, ${DONE}]`,
      files: FILES,
      tools,
      policy: byRules({ sources }),
    });
    const run = rig.task.run("Go");
    const ask = await rig.ask("tool");
    expect(resultsOf(rig.sent()[1] ?? [])[0]).toContain("denied by the rule");
    ask.reject();
    await run;
    await expect(rig.file("ok.txt")).rejects.toThrow();
  });

  test("L12: a patch that was running when the process ended is uncertain, and is not applied again", async () => {
    let start = (): void => {};
    let release = (): void => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = tools.map((tool) => {
      if (tool.name !== "apply_patch") return tool;
      const prepare: typeof tool.prepare = (input) => {
        const prepared = tool.prepare(input);
        if (!prepared.ok) return prepared;
        const run: typeof prepared.call.execute = async (ports) => {
          start();
          await released;
          return prepared.call.execute(ports);
        };
        return { ok: true, call: { ...prepared.call, execute: run } };
      };
      return { ...tool, prepare };
    });
    expect(slow.find(({ name }) => name === "apply_patch")?.replayable).toBe(false);
    expect(slow.find(({ name }) => name === "edit_file")?.replayable).toBe(false);
    expect(slow.filter(({ replayable, group }) => group === "read" && !replayable)).toEqual([]);
    await using rig = await openRig({ script: `[${PATCHES}, ${DONE}]`, files: FILES, tools: slow });
    const run = rig.task.run("Go");
    (await rig.ask("tool")).approve();
    await started;
    // What a process that ends now leaves behind.
    const dataDir = path.join(rig.dataDir, "left");
    const journal = path.join(taskFolder(rig.dataDir, rig.task.id), "journal.jsonl");
    await mkdir(taskFolder(dataDir, rig.task.id), { recursive: true });
    await copyFile(journal, path.join(taskFolder(dataDir, rig.task.id), "journal.jsonl"));
    const host = createHost({ dataDir });
    const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });
    const again = await host.open(rig.task.id, { model, tools });
    await again.run("Go on");
    expect(resultsOf(rig.sent()[1] ?? [])[0]).toContain("uncertain");
    expect([await rig.file("a.txt"), await rig.file("b.txt")]).toEqual(["one\n", "two\n"]);
    await host.closeAll();
    release();
    await run;
  });
});

describe("a task with an index", () => {
  test("is offered codebase_search, and shows what it found", async () => {
    const codebaseIndex: CodebaseIndex = { search: async () => found };
    await using rig = await openRig({ script: `[${SEARCHES}, ${DONE}]`, files: FILES, codebaseIndex });
    await rig.task.run("Go");
    expect(toolsOf(rig)).toContain("codebase_search");
    const shown = rig.task.log.toArray().find(({ say }) => say === "codebase_search_result");
    expect(JSON.parse(shown?.text ?? "")).toMatchObject({
      tool: "codebaseSearch",
      content: { query: "the first", results: [{ filePath: "a.txt" }] },
    });
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual(["# a.txt (lines 1-1, score 1.00)\none"]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("no connection");
      },
      "The index did not answer: no connection",
    ],
    ["rejects", () => Promise.reject(new Error("no connection")), "no connection"],
    ["returns something else", () => Promise.resolve(JSON.parse("{}")), "something else than a list"],
  ])("gets an error result from one that %s", async (_, search, message) => {
    await using rig = await openRig({
      script: `[${SEARCHES}, ${DONE}]`,
      files: FILES,
      codebaseIndex: { search },
    });
    await rig.task.run("Go");
    expect(resultsOf(rig.sent()[1] ?? [])[0]).toContain(message);
  });
});
