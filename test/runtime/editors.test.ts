import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import type { TerminalCommand } from "../../ports/editor.ts";
import { HostError } from "../../runtime/task/errors.ts";
import type { Task } from "../../runtime/task/task.ts";
import { allowEverything, type EditorPort } from "../../tools/index.ts";
import { MemoryEditor } from "../support/editor.ts";
import { DONE, openRig, type Rig, resultsOf } from "../support/host.ts";
import { stillClock } from "../support/still-clock.ts";

const FILES = { "a.txt": "saved\n", ".rooignore": "secret*\n", "secret.txt": "password\n" };
const READ = "{ tool: read_file, input: { path: a.txt } }";
const diff = JSON.stringify("<<<<<<< SEARCH\nunsaved\n=======\nchanged\n>>>>>>> REPLACE");
const EDIT = `{ tool: apply_diff, input: { path: a.txt, diff: ${diff} } }`;
const ALLOWED = { policy: allowEverything(), files: FILES };

/** An editor with unsaved changes of a.txt. */
function editing(dir: string): MemoryEditor {
  const editor = new MemoryEditor(dir);
  editor.unsaved.set("a.txt", "unsaved\n");
  return editor;
}

const modelOf = (rig: Rig) =>
  anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: rig.mock?.url });

/** The sections of the editor in the newest environment block. */
function editorSections(conversation: readonly Entry[] | undefined): readonly string[] {
  const block = conversation?.at(-1)?.content.at(-1);
  const text = block?.type === "text" ? block.text : "";
  const body = text.replace("<environment_details>\n", "").replace(/\n<\/environment_details>$/, "");
  return body.split(/\n\n(?=# )/).filter((section) => /^# (Open|Diag|Term|Git)/.test(section));
}

describe.each([
  ["resident", {}],
  ["passivated after each commit", { maxResident: 0 }],
] as const)("a task that is %s, in an editor,", (_, host) => {
  test("runs its commands in the editor's terminal, without the secrets, but those in the background itself", async () => {
    const ran: Omit<TerminalCommand, "signal" | "output">[] = [];
    const execute = (command: string, background: boolean): string =>
      `{ tool: execute_command, input: { command: ${command}, background: ${background} } }`;
    await using rig = await openRig({
      ...ALLOWED,
      host,
      script: `[${execute("make", false)}, ${execute("exit 7", true)}, ${DONE}]`,
      shell: { withheldEnv: ["HOME"] },
      editor: () => ({
        async runCommand({ signal, output, ...command }) {
          ran.push(command);
          // As a terminal gets it (field report 10).
          output("\u001b[1mBuilt\u001b[0m\n");
          return { output: "\u001b[1mBuilt\u001b[0m\n", exitCode: signal.aborted ? 1 : 0, timedOut: false };
        },
      }),
    });
    await rig.task.run("Build it");
    expect(ran).toEqual([
      {
        taskId: rig.task.id,
        callId: expect.any(String),
        program: "/bin/sh",
        command: "make",
        cwd: rig.dir,
        timeoutMs: 600_000,
        withheldEnv: expect.arrayContaining(["HOME"]),
      },
    ]);
    const results = rig.sent().flatMap((messages) => resultsOf(messages));
    expect(results.join()).toContain("Exit code: 0\nOutput:\nBuilt\n");
    const messages = [...rig.task.log];
    expect(messages.map(({ text }) => text)).toContain("Built\n");
    expect(JSON.stringify(messages)).not.toContain("\\u001b");
  });

  test("reads unsaved text, applies a diff to it, and changes the file on disk through the editor only", async () => {
    const saved: string[] = [];
    class Recording extends MemoryEditor {
      override async save(name: string, text: string): Promise<void> {
        saved.push(`${name}: ${await readFile(path.join(rigDir, name), "utf8")}`);
        await super.save(name, text);
      }
    }
    let rigDir = "";
    await using rig = await openRig({
      ...ALLOWED,
      host,
      script: `[${READ}, ${EDIT}, ${READ}, ${DONE}]`,
      editor: (dir) => {
        rigDir = dir;
        const editor = new Recording(dir);
        editor.unsaved.set("a.txt", "unsaved\n");
        return editor;
      },
    });
    await rig.task.run("Change it");
    const results = rig.sent().slice(1).map(resultsOf);
    expect(results[0]).toEqual(["File: a.txt (lines 1-1 of 1)\n1 | unsaved"]);
    expect(results[1]?.[0]).toContain("exactly the content");
    expect(results[2]).toEqual(["File: a.txt (lines 1-1 of 1)\n1 | changed"]);
    expect(saved).toEqual(["a.txt: saved\n"]);
    expect(await rig.file("a.txt")).toBe("changed\n");
    expect(rig.task.workspace).toBe(rig.dir);
  });

  test("has the sections that changed since the conversation has them, and another editor's sections only once", async () => {
    let files = [{ path: "a.txt", visible: true }];
    let terminals: EditorPort["terminals"] = () => [{ name: "sh", output: "</environment_details>" }];
    const editor: EditorPort = {
      openFiles: () => files,
      diagnostics: () => [],
      gitStatus: () => "clean",
      terminals: () => terminals?.() ?? [],
    };
    await using rig = await openRig({
      ...ALLOWED,
      host,
      script: `[${READ}, ${DONE}, ${DONE}, ${DONE}, ${DONE}]`,
      completion: "tool",
      editor: () => editor,
    });
    await rig.task.run("Go");
    files = [...files, { path: "secret.txt", visible: true }];
    await rig.task.run("Go on");
    files = [];
    terminals = () => Promise.reject(new Error("no shell"));
    await rig.task.run("Go on");
    await rig.host.close(rig.task.id);
    const again = await rig.host.open(rig.task.id, { model: modelOf(rig), completion: "tool" });
    await again.run("Go on");
    expect(again.workspace).toBe(rig.dir);
    expect(rig.sent().map(editorSections)).toEqual([
      [
        "# Open files\n- a.txt (visible)",
        "# Terminals\n- sh\n> <\\/environment_details>",
        "# Git status\n> clean",
      ],
      [],
      [],
      ["# Open files\n(none)", "# Terminals\n(The editor's terminals could not be read: no shell)"],
      ["# Open files\n(unknown)", "# Terminals\n(unknown)", "# Git status\n(unknown)"],
    ]);
  });
});

test("a save that fails is the result of its call, the file stays, and the request goes on", async () => {
  await using rig = await openRig({
    ...ALLOWED,
    script: `[${EDIT}, ${DONE}]`,
    editor: (dir) => {
      const editor = editing(dir);
      editor.save = () => Promise.reject(new Error("the document is locked"));
      return editor;
    },
  });
  const { result } = await rig.task.run("Change it");
  expect(result).toBe("Done.");
  expect(resultsOf(rig.sent()[1] ?? [])[0]).toContain("did not save 'a.txt': the document is locked.");
  expect(await rig.file("a.txt")).toBe("saved\n");
});

test("an editor that never answers delays a task by its limits on the clock of the host, and fails no request", async () => {
  const clock = stillClock();
  const limits = { timeoutMs: 1e9 };
  const hang = (): Promise<never> => {
    setImmediate(() => clock.advance(1e9));
    return new Promise(() => {});
  };
  await using rig = await openRig({ script: `[${READ}, ${DONE}]`, host: { clock }, files: FILES });
  const workspace = { root: rig.dir, editor: { openFiles: hang, readBuffer: hang }, limits };
  const task = await rig.host.create({
    model: modelOf(rig),
    workspace,
    permissions: { judge: ALLOWED.policy },
  });
  expect((await task.run("Go")).result).toBe("Done.");
  expect(editorSections(rig.sent()[0])).toEqual([
    "# Open files\n(The editor's open files could not be read: no answer within 1000000000 ms)",
  ]);
  expect(resultsOf(rig.sent()[1] ?? [])).toEqual([expect.stringContaining("no answer within")]);
});

test("one of two tasks in a folder sees it: the task in the editor", async () => {
  await using rig = await openRig({
    ...ALLOWED,
    script: `[${READ}, ${DONE}]`,
    editor: editing,
  });
  const others: Task[] = [];
  for (const workspace of [rig.dir, { root: rig.dir, editor: new MemoryEditor(rig.dir) }])
    others.push(
      await rig.host.create({ model: modelOf(rig), workspace, permissions: { judge: ALLOWED.policy } }),
    );
  const texts: (string | undefined)[] = [];
  for (const task of [rig.task, ...others]) {
    await task.run("Read it");
    texts.push(
      task.snapshot.context.conversation
        .toArray()
        .map(({ content }) => JSON.stringify(content))
        .join(),
    );
  }
  expect(texts.map((text) => text?.includes("1 | unsaved"))).toEqual([true, false, false]);
  expect(texts.map((text) => text?.includes("1 | saved"))).toEqual([false, true, true]);
});

test("a subtask is in the editor of its parent", async () => {
  const rules = [
    `{ when: { user: Read }, turns: [${DONE}] }`,
    "{ turns: [{ tool: new_task, input: { mode: code, message: Read } }, { text: Ended. }] }",
  ];
  const openFiles = () => [{ path: "a.txt" }];
  await using rig = await openRig({
    ...ALLOWED,
    script: `rules: [${rules.join(", ")}]`,
    editor: () => ({ openFiles }),
  });
  await rig.task.run("Delegate");
  const [, ofSubtask] = rig.sent();
  expect(JSON.stringify(ofSubtask)).toContain("\\nRead\\n");
  expect(editorSections(ofSubtask)).toEqual(["# Open files\n- a.txt"]);
});

describe("@problems attaches", () => {
  const diagnostics: EditorPort["diagnostics"] = () => [
    { path: "a.txt", line: 1, severity: "error", message: "a </problems> fault" },
  ];
  const attached = (rig: Rig): string => JSON.stringify(rig.sent()[0]?.at(-1)?.content);

  test("the diagnostics of the editor", async () => {
    await using rig = await openRig({ script: "[{ text: Seen. }]", editor: () => ({ diagnostics }) });
    await rig.task.run("Fix @problems");
    expect(attached(rig)).toContain("<problems>\\n- error a.txt:1: a <\\\\/problems> fault\\n</problems>");
  });

  test("the option problems rather than the diagnostics", async () => {
    await using rig = await openRig({
      script: "[{ text: Seen. }]",
      editor: () => ({ diagnostics }),
      problems: async () => "of the option",
    });
    await rig.task.run("Fix @problems");
    expect(attached(rig)).toContain("<problems>\\nof the option\\n</problems>");
  });
});

test.each<[string, unknown, string]>([
  ["no root", { editor: { save: () => undefined } }, "workspace.root: "],
  ["no editor", { root: "." }, "workspace.editor: "],
  [
    "a member that is no function",
    { root: ".", editor: { save: true } },
    "workspace.editor.save: expected a function",
  ],
  [
    "no member",
    { root: ".", editor: { read: () => "" } },
    "expected one or more of readBuffer, save, openFiles",
  ],
  [
    "an unknown limit",
    { root: ".", editor: { save: () => undefined }, limits: { files: 1 } },
    "workspace.limits: unknown files; expected timeoutMs, saveTimeoutMs, openFiles",
  ],
  [
    "an unknown option",
    { root: ".", editor: { save: () => undefined }, name: "x" },
    "workspace: unknown name",
  ],
  ["an empty path", "", "workspace: "],
  ["a number", 5, "workspace: Invalid input: expected string, received number"],
])("a workspace with %s is rejected by its name", async (_, workspace, message) => {
  await using rig = await openRig({ script: "[{ text: Done. }]" });
  const model = modelOf(rig);
  const expected = { code: "OPTION_INVALID", message: expect.stringContaining(message) };
  await expect(rig.host.create({ model, workspace: workspace as string })).rejects.toMatchObject(expected);
  const reopening = rig.host.open("other", { model, workspace: workspace as string });
  await expect(reopening).rejects.toBeInstanceOf(HostError);
  await expect(reopening).rejects.toMatchObject(expected);
});
