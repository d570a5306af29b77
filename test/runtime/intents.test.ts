import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { readLedger } from "../../store/index.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { allowEverything, builtinTools, byRules, type Intent, type ReadIntents } from "../../tools/index.ts";
import { DONE, openRig, type Rig, type RigOptions, resultsOf } from "../support/host.ts";
import { askOf, completes, openSubtaskRig, scriptByMode, subtask } from "../support/subtasks.ts";

const API: Intent = {
  id: "INT-1",
  name: "Rate limits",
  status: "IN_PROGRESS",
  ownedScope: ["src/api/**"],
  constraints: ["Keep the public API."],
  acceptanceCriteria: ["The tests pass."],
};
const DOCS: Intent = { ...API, id: "INT-2", name: "Notes", ownedScope: ["notes/**"] };
const OLD: Intent = { ...API, id: "INT-0", name: "Old login", status: "DONE", ownedScope: ["**"] };
const opened = (read: ReadIntents) => async () => read;
const intents = opened(async () => [API, DOCS, OLD]);

const select = (id: string) => `{ tool: select_active_intent, input: { intent_id: ${id} } }`;
const write = (file: string, content = "x") =>
  `{ tool: write_to_file, input: { path: "${file}", content: "${content}" } }`;
const command = (line: string) => `{ tool: execute_command, input: { command: "${line}" } }`;

const governed = (turns: readonly string[], options: Partial<RigOptions> = {}): Promise<Rig> =>
  openRig({ script: `[${[...turns, DONE].join(", ")}]`, intents, policy: allowEverything(), ...options });

/** The results of the calls of each response. */
const resultsIn = (rig: Rig): readonly string[] => rig.sent().flatMap((messages) => resultsOf(messages));

const exists = (rig: Rig, file: string): Promise<boolean> =>
  rig.file(file).then(
    () => true,
    () => false,
  );

describe("INTENT: before an intent is selected", () => {
  test.each([
    ["a write", write("src/api/a.ts")],
    ["a write by an alias", `{ tool: write_file, input: { path: src/api/a.ts, content: x } }`],
    ["a command", command("touch src/api/a.ts")],
    ["a request to the web", "{ tool: web_fetch, input: { url: 'https://example.com/' } }"],
    ["a subtask", subtask("ask")],
  ])("%s is refused with the active ids, whatever is permitted", async (_, call) => {
    await using rig = await governed([call], { permissions: { level: "bypass" } });
    await rig.task.run("Do it");
    expect(resultsIn(rig).at(-1)).toContain("select an intent first");
    expect(resultsIn(rig).at(-1)).toContain("The active intents are: INT-1, INT-2.");
    expect(await exists(rig, "src/api/a.ts")).toBe(false);
    expect(rig.task.snapshot.context.children).toBe(0);
  });

  test("what only reads runs", async () => {
    await using rig = await governed(["{ tool: list_files, input: { path: '.' } }"], {
      files: { "a.txt": "" },
    });
    await rig.task.run("Do it");
    expect(resultsIn(rig).at(-1)).toContain("a.txt");
  });

  test("an unknown or a done one is refused with the active ids", async () => {
    await using rig = await governed([select("INT-9"), select("INT-0"), write("src/api/a.ts")]);
    await rig.task.run("Do it");
    const [unknown, done, written] = resultsIn(rig);
    expect(unknown).toContain("the intent 'INT-9' is unknown. The active intents are: INT-1, INT-2.");
    expect(done).toContain("the intent 'INT-0' is DONE. The active intents are: INT-1, INT-2.");
    expect(written).toContain("select an intent first");
    expect(rig.task.snapshot.context.intent).toEqual({ stage: "required" });
  });

  test("what a response calls after the selection is judged by it, and what it calls before is refused", async () => {
    await using rig = await governed([
      `[${write("src/api/a.ts")}, ${select("INT-1")}, ${write("src/api/b.ts")}, ${write("lib/c.ts")}, ${select("INT-2")}, ${write("notes/d.txt")}]`,
    ]);
    await rig.task.run("Do it");
    const results = resultsIn(rig);
    expect(results[0]).toContain("select an intent first");
    expect(results[1]).toContain("The intent is INT-1 now.");
    expect(results[3]).toContain("the intent INT-1 owns src/api/** alone");
    expect(results[4]).toContain("The intent is INT-2 now.");
    const files = ["src/api/a.ts", "src/api/b.ts", "lib/c.ts", "notes/d.txt"];
    expect(await Promise.all(files.map((file) => exists(rig, file)))).toEqual([false, true, false, true]);
  });
});

describe("INTENT: under a selected intent", () => {
  test("each request has its scope, constraints and acceptance criteria", async () => {
    await using rig = await governed([select("INT-1")]);
    await rig.task.run("Do it");
    const systems = (rig.mock?.requests ?? []).map(({ body }) => JSON.stringify(body));
    expect(systems[0]).toContain('intent_context state=\\"required\\"');
    expect(systems[1]).toContain('intent_context state=\\"selected\\" id=\\"INT-1\\"');
    for (const text of ["src/api/**", "Keep the public API.", "The tests pass."])
      expect(systems[1]).toContain(text);
  });

  const patch = (from: string, to: string) =>
    `{ tool: apply_patch, input: { patch: "*** Begin Patch\\n*** Update File: ${from}\\n*** Move to: ${to}\\n@@\\n-old\\n+new\\n*** End Patch\\n" } }`;

  test.each([
    ["a file elsewhere", write("lib/a.ts"), "lib/a.ts"],
    ["by an alias of the tool", "{ tool: write_file, input: { path: lib/a.ts, content: x } }", "lib/a.ts"],
    ["by ..", write("src/api/../../lib/a.ts"), "lib/a.ts"],
    ["in another case", write("SRC/api/a.ts"), "SRC/api/a.ts"],
    ["through a symlink", write("src/api/link/a.ts"), "lib/a.ts"],
    ["by a rename out of it", patch("src/api/old.ts", "lib/a.ts"), "lib/a.ts"],
    ["by a rename into it", patch("lib/keep.ts", "src/api/a.ts"), "src/api/a.ts"],
    ["by a rename to another case", patch("src/api/old.ts", "src/API/old.ts"), "src/API/old.ts"],
    ["by a rename into a symlink", patch("src/api/old.ts", "src/api/link/a.ts"), "lib/a.ts"],
    [
      "the file of intents",
      write(".orchestration/active_intents.yaml"),
      ".orchestration/active_intents.yaml",
    ],
  ])("a write outside of its scope is denied with the reason: %s", async (_, call, file) => {
    await using rig = await governed([select("INT-1"), call], {
      permissions: { level: "bypass" },
      tools: builtinTools({ include: ["apply_patch"] }),
      files: { "src/api/old.ts": "old\n", "lib/keep.ts": "old\n" },
    });
    await symlink(path.join(rig.dir, "lib"), path.join(rig.dir, "src/api/link"));
    await rig.task.run("Do it");
    const refused = resultsIn(rig).at(-1);
    expect(refused).toContain("owned_scope of INT-1 in .orchestration/active_intents.yaml");
    expect(refused).toContain("is outside the owned scope: the intent INT-1 owns src/api/** alone.");
    expect(await exists(rig, file)).toBe(false);
    expect([await rig.file("src/api/old.ts"), await rig.file("lib/keep.ts")]).toEqual(["old\n", "old\n"]);
  });

  test("a rename inside of its scope runs", async () => {
    await using rig = await governed([select("INT-1"), patch("src/api/old.ts", "src/api/new/a.ts")], {
      tools: builtinTools({ include: ["apply_patch"] }),
      files: { "src/api/old.ts": "old\n" },
    });
    await rig.task.run("Do it");
    expect(await rig.file("src/api/new/a.ts")).toBe("new\n");
    expect(await exists(rig, "src/api/old.ts")).toBe(false);
  });

  test("another one can be selected, which owns other files", async () => {
    await using rig = await governed([
      select("INT-1"),
      write("notes/a.txt"),
      select("INT-2"),
      write("notes/a.txt"),
      write("src/api/a.ts"),
    ]);
    await rig.task.run("Do it");
    expect(await rig.file("notes/a.txt")).toBe("x");
    expect(await exists(rig, "src/api/a.ts")).toBe(false);
  });

  test("a write is refused once the user ends it", async () => {
    const found = [API];
    await using rig = await governed([select("INT-1"), write("src/api/a.ts"), write("src/api/b.ts")], {
      intents: opened(async () => found),
    });
    rig.task.events$.subscribe(({ commit }) => {
      if (commit.effects.some(({ type, id }) => type === "effect.stopped" && id.startsWith("tool:")))
        found[0] = { ...API, status: "DONE" };
    });
    await rig.task.run("Do it");
    expect(await exists(rig, "src/api/a.ts")).toBe(true);
    expect(resultsIn(rig).at(-1)).toContain("the intent 'INT-1' is DONE.");
    expect(await exists(rig, "src/api/b.ts")).toBe(false);
  });

  test("a write is refused while the file of intents can't be read", async () => {
    let isBroken = false;
    await using rig = await governed([select("INT-1"), write("src/api/a.ts")], {
      intents: opened(async () => {
        if (isBroken) throw new Error("active_intents.yaml:2:1: expected a list");
        isBroken = true;
        return [API];
      }),
    });
    await rig.task.run("Do it");
    expect(await exists(rig, "src/api/a.ts")).toBe(false);
  });

  test("an amended call is judged again: it is denied if the intent has ended in the meantime", async () => {
    let status: Intent["status"] = "IN_PROGRESS";
    await using rig = await governed([select("INT-1"), write("src/api/a.ts")], {
      policy: byRules({ sources: [{ origin: "test", allow: ["tool(select_active_intent)"] }] }),
      intents: opened(async () => [{ ...API, status }]),
    });
    const end = rig.task.run("Do it");
    const ask = await rig.ask("tool");
    status = "DONE";
    ask.approve({ amendment: { content: "amended" } });
    await end;
    expect(resultsIn(rig).at(-1)).toContain("the intent 'INT-1' is DONE.");
    expect(await exists(rig, "src/api/a.ts")).toBe(false);
  });
});

describe("INTENT: a command, which has no path", () => {
  const allow = ["tool(select_active_intent)"];
  const modes = ["auto-edit", "auto", "bypass"] as const;

  test.each(modes)("is asked about in mode %s", async (mode) => {
    await using rig = await governed([select("INT-1"), command("touch a.txt")], {
      policy: byRules({ sources: [{ origin: "test", allow }] }),
      permissions: { level: mode },
    });
    const end = rig.task.run("Do it");
    const ask = await rig.ask("command");
    expect(await exists(rig, "a.txt")).toBe(false);
    ask.approve();
    await end;
    expect(await exists(rig, "a.txt")).toBe(true);
  });

  test.each(modes)("runs in mode %s if a rule allows it", async (mode) => {
    await using rig = await governed([select("INT-1"), command("touch a.txt")], {
      policy: byRules({ sources: [{ origin: "test", allow: [...allow, "command(touch *)"] }] }),
      permissions: { level: mode },
    });
    await rig.task.run("Do it");
    expect(await exists(rig, "a.txt")).toBe(true);
  });
});

describe("INTENT: the selected intent", () => {
  test("survives the end of the process: the reopened task is judged by it", async () => {
    await using rig = await governed([select("INT-1"), DONE, write("lib/a.ts"), write("src/api/a.ts")]);
    await rig.task.run("Do it");
    await rig.task.close();
    const model = { ...(await modelOf(rig)) };
    const again = await rig.host.open(rig.task.id, {
      model,
      intents,
      permissions: { judge: allowEverything() },
    });
    expect(again.snapshot.context.intent).toEqual({ stage: "selected", id: "INT-1" });
    await again.run("Go on");
    expect(await exists(rig, "lib/a.ts")).toBe(false);
    expect(await exists(rig, "src/api/a.ts")).toBe(true);
  });

  test("survives a fork, and what was refused does not run in it", async () => {
    await using rig = await governed([select("INT-1"), write("lib/a.ts"), DONE, write("lib/b.ts")]);
    await rig.task.run("Do it");
    await rig.task.close();
    const history = openHistory({ dataDir: rig.dataDir });
    const fork = await history.fork(rig.task.id);
    const again = await rig.host.open(fork.id, {
      model: await modelOf(rig),
      intents,
      permissions: { judge: allowEverything() },
    });
    expect(again.snapshot.context.intent).toEqual({ stage: "selected", id: "INT-1" });
    await again.run("Go on");
    expect(await exists(rig, "lib/a.ts")).toBe(false);
    expect(await exists(rig, "lib/b.ts")).toBe(false);
    await again.close();
  });

  test("is kept without the file of intents: then nothing is owned", async () => {
    await using rig = await governed([select("INT-1"), DONE, write("src/api/a.ts")]);
    await rig.task.run("Do it");
    await rig.task.close();
    const again = await rig.host.open(rig.task.id, {
      model: await modelOf(rig),
      permissions: { judge: allowEverything() },
    });
    await again.run("Go on");
    expect(resultsIn(rig).at(-1)).toContain("the intent 'INT-1' is unknown.");
    expect(await exists(rig, "src/api/a.ts")).toBe(false);
  });

  test("is also the intent of a subtask", async () => {
    const script = scriptByMode(
      { mode: "code", after: "new_task", turn: completes("All done.") },
      { mode: "code", after: "select_active_intent", turn: subtask("one") },
      { mode: "code", turn: select("INT-1") },
      { mode: "one", after: "write_to_file", turn: completes("One done.") },
      { mode: "one", turn: `[${write("lib/a.ts")}, ${write("src/api/a.ts")}]` },
    );
    await using rig = await openSubtaskRig(script, { intents });
    const child = askOf(rig.host, `${rig.task.id}.1`, "completion").catch(() => undefined);
    await rig.task.run("Do it");
    void child;
    expect(await exists(rig, "lib/a.ts")).toBe(false);
    expect(await exists(rig, "src/api/a.ts")).toBe(true);
  });
});

describe("INTENT: a file that changed since the task read it", () => {
  const read = "{ tool: read_file, input: { path: src/api/a.ts } }";

  test("is not written, until the task has read it again", async () => {
    await using rig = await governed(
      [
        select("INT-1"),
        read,
        command("echo theirs > src/api/a.ts"),
        write("src/api/a.ts", "mine"),
        read,
        write("src/api/a.ts", "mine"),
      ],
      { files: { "src/api/a.ts": "old\n" } },
    );
    await rig.task.run("Do it");
    const refused = resultsIn(rig).filter((text) => text.includes("has changed since this task read it"));
    expect(refused).toHaveLength(1);
    expect(refused[0]).toContain("'src/api/a.ts'");
    expect(await rig.file("src/api/a.ts")).toBe("mine");
  });

  test("is found by its content, however it is named, and is left as it is", async () => {
    await using rig = await governed(
      [
        select("INT-1"),
        read,
        "[{ text: one moment }, { tool: ask_followup_question, input: { question: Ready?, follow_up: [{ text: yes }] } }]",
        write("src/api/b.ts", "mine"),
      ],
      {
        files: { "src/api/a.ts": "old\n" },
      },
    );
    await symlink(path.join(rig.dir, "src/api/a.ts"), path.join(rig.dir, "src/api/b.ts"));
    const end = rig.task.run("Do it");
    const ask = await rig.ask("question");
    await writeFile(path.join(rig.dir, "src/api/a.ts"), "theirs\n");
    ask.answer("yes");
    await end;
    expect(await rig.file("src/api/a.ts")).toBe("theirs\n");
  });

  test("is not written by the second of two tasks whose intents own it", async () => {
    await using rig = await governed(
      [
        select("INT-1"),
        read,
        "{ tool: ask_followup_question, input: { question: Ready?, follow_up: [{ text: yes }] } }",
        write("src/api/a.ts", "mine"),
      ],
      { files: { "src/api/a.ts": "old\n" } },
    );
    const other = await rig.host.create({
      model: await modelOf(rig),
      workspace: rig.dir,
      intents,
      permissions: { judge: allowEverything() },
    });
    const ends = [rig.task.run("Do it"), other.run("Do it, too")];
    const [mine, theirs] = await Promise.all([rig.ask("question"), askOf(rig.host, other.id, "question")]);
    mine.answer("yes");
    await ends[0];
    theirs.answer("yes");
    await ends[1];
    expect(
      resultsIn(rig).filter((text) => text.includes("has changed since this task read it")),
    ).toHaveLength(1);
    expect(await rig.file("src/api/a.ts")).toBe("mine");
  });

  test("is written once by tasks of intents whose scopes overlap, and that write it at once", async () => {
    const ids = ["INT-1", "INT-2", "INT-3"];
    const overlapping = opened(async () =>
      ids.map((id) => ({ ...API, id, ownedScope: ["shared/**", `${id}/**`] })),
    );
    const turns = (id: string) => [
      select(id),
      "{ tool: read_file, input: { path: shared/a.ts } }",
      "{ tool: ask_followup_question, input: { question: Ready?, follow_up: [{ text: yes }] } }",
      write("shared/a.ts", id),
      DONE,
    ];
    await using rig = await governed([], {
      script: `[${turns("INT-1").join(", ")}]`,
      intents: overlapping,
      files: { "shared/a.ts": "old\n", ".orchestration/.gitkeep": "" },
    });
    const mocks = await Promise.all(
      ids.slice(1).map((id) => startMock(parseScript(`[${turns(id).join(", ")}]`))),
    );
    const others = await Promise.all(
      mocks.map(async (mock) =>
        rig.host.create({
          model: await modelOf({ mock }),
          workspace: rig.dir,
          intents: overlapping,
          permissions: { judge: allowEverything() },
        }),
      ),
    );
    const tasks = [rig.task, ...others];
    const ends = tasks.map((task) => task.run("Do it"));
    const asks = await Promise.all(tasks.map(({ id }) => askOf(rig.host, id, "question")));
    for (const ask of asks) ask.answer("yes");
    await Promise.all(ends);
    await rig.host.closeAll();
    const results = [rig.mock, ...mocks].flatMap((mock) => (mock?.requests ?? []).map(({ body }) => body));
    const last = results.filter((body) =>
      JSON.stringify(body).includes("has changed since this task read it"),
    );
    expect(last).toHaveLength(2);
    const lines = (await readLedger(rig.dir)).map(({ line }) => line);
    expect(lines).toMatchObject([{ path: "shared/a.ts", intent: await rig.file("shared/a.ts") }]);
    for (const mock of mocks) await mock.close();
  });
});

test("a task without intents has no intent, is not offered the tool, and its requests say nothing of them", async () => {
  await using rig = await openRig({ script: `[${write("lib/a.ts")}, ${DONE}]`, policy: allowEverything() });
  await rig.task.run("Do it");
  expect(rig.task.snapshot.context.intent).toBeNull();
  expect(JSON.stringify(rig.mock?.requests.map(({ body }) => body))).not.toMatch(/intent/);
  expect(await rig.file("lib/a.ts")).toBe("x");
});

/** Another model of the rig's mock server. */
async function modelOf({ mock }: Pick<Rig, "mock">) {
  const { anthropic } = await import("../../adapters/index.ts");
  return anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock?.url });
}
