import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { ConflictChoice } from "../../../ports/subtask-files.ts";
import { blameLine, readLedger, verifyLedger } from "../../../store/index.ts";
import type { Rig } from "../../support/host.ts";
import {
  decline,
  isolationOf,
  merge,
  openRepository,
  write,
  writer,
} from "../../support/isolated-subtasks.ts";
import { completes, scriptOfRoot, subtask } from "../../support/subtasks.ts";

/** A rig in a git repository with a ledger. */
async function openRecorded(script: string): Promise<Rig> {
  const rig = await openRepository(script, { files: { "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n" } });
  mkdirSync(path.join(rig.dir, ".orchestration"));
  return rig;
}

/** Run the task to its end, and close all tasks: a journal that is open is not compared. */
async function runToEnd(rig: Rig): Promise<void> {
  await rig.task.run("Do it");
  await rig.host.closeAll();
}

async function mergeByPerson(rig: Rig, id: string, conflicts: ConflictChoice = "stop") {
  const record = await isolationOf(rig).find(id);
  if (record === undefined) throw new Error(`Expected files of ${id}.`);
  const workspace = await openWorkspace(record.source);
  return isolationOf(rig).merge(record, { workspace, conflicts });
}

/** The task, the tool and the model of a line, and the tasks through whose merges it came. */
async function originOf({ dir }: Rig, line: number, file = "a.txt"): Promise<string> {
  const { found, isCurrent, merges } = await blameLine(dir, file, line);
  expect(isCurrent).toBe(true);
  const through = merges.map((each) => ` < ${each.line.task} by ${each.line.merged?.by}`).join("");
  return found.kind === "write"
    ? `${found.line.task} ${found.line.tool} ${found.line.model?.split("/")[0]}${through}`
    : `${found.kind}${through}`;
}
const verify = ({ dir, dataDir }: Rig) => verifyLedger(dir, dataDir);
const CLEAN = { problems: [], unchecked: [] };
const linesOf = async ({ dir }: Rig) =>
  (await readLedger(dir)).map(({ line }) => `${line?.task} ${line?.tool} ${line?.path}`);

describe("after a merge by the tool, blame", () => {
  test("names the subtask that wrote a line, its call and its model, and the merge", async () => {
    await using rig = await openRecorded(
      scriptOfRoot([subtask("one"), merge("root.1")], ...writer("one", "a.txt", "1\\nnew\\n3\\n4\\n5\\n")),
    );
    await runToEnd(rig);
    expect(await rig.file("a.txt")).toBe("1\nnew\n3\n4\n5\n");
    expect(await linesOf(rig)).toEqual([
      "root.1 write_to_file a.txt",
      "root.1 merge a.txt",
      "root merge_subtask a.txt",
    ]);
    expect(await originOf(rig, 2)).toBe("root.1 write_to_file anthropic < root.1 by root");
    expect(await originOf(rig, 3)).toBe("older");
    expect(await verify(rig)).toEqual({ lines: 3, tasks: 2, ...CLEAN });
  });

  test("names parent and subtask, each for its own lines of a file that both changed", async () => {
    await using rig = await openRecorded(
      scriptOfRoot(
        [
          subtask("one"),
          write("a.txt", "1\\n2\\n3\\n4\\nmine\\n"),
          merge("root.1"),
          write("a.txt", "0\\n1\\nnew\\n3\\n4\\nmine\\n"),
        ],
        ...writer("one", "a.txt", "1\\nnew\\n3\\n4\\n5\\n"),
      ),
    );
    await runToEnd(rig);
    expect(await rig.file("a.txt")).toBe("0\n1\nnew\n3\n4\nmine\n");
    expect(await Promise.all([1, 2, 3, 4, 6].map((line) => originOf(rig, line)))).toEqual([
      "root write_to_file anthropic",
      "older",
      "root.1 write_to_file anthropic < root.1 by root",
      "older",
      "root write_to_file anthropic",
    ]);
    expect(await verify(rig)).toMatchObject(CLEAN);
  });

  test("names a subtask of a subtask, through both merges", async () => {
    await using rig = await openRecorded(
      scriptOfRoot(
        [subtask("one"), merge("root.1")],
        { mode: "one", after: "merge_subtask", turn: completes("One done.") },
        { mode: "one", after: "new_task", turn: merge("root.1.1") },
        { mode: "one", after: "write_to_file", turn: subtask("two") },
        { mode: "one", turn: write("a.txt", "one\\n2\\n3\\n4\\n5\\n") },
        ...writer("two", "a.txt", "one\\n2\\n3\\n4\\ntwo\\n"),
      ),
    );
    await runToEnd(rig);
    expect(await originOf(rig, 1)).toBe("root.1 write_to_file anthropic < root.1 by root");
    expect(await originOf(rig, 2)).toBe("older");
    expect(await originOf(rig, 5)).toBe(
      "root.1.1 write_to_file anthropic < root.1 by root < root.1.1 by root.1",
    );
    expect(await verify(rig)).toMatchObject({ tasks: 3, ...CLEAN });
  });

  test("names each of two subtasks that changed one file at the same time", async () => {
    await using rig = await openRecorded(
      scriptOfRoot(
        [subtask("one"), subtask("two"), merge("root.1"), merge("root.2")],
        ...writer("one", "a.txt", "one\\n2\\n3\\n4\\n5\\n"),
        ...writer("two", "a.txt", "1\\n2\\n3\\n4\\ntwo\\n"),
      ),
    );
    await runToEnd(rig);
    expect(await originOf(rig, 1)).toBe("root.1 write_to_file anthropic < root.1 by root");
    expect(await originOf(rig, 5)).toBe("root.2 write_to_file anthropic < root.2 by root");
    expect(await verify(rig)).toMatchObject(CLEAN);
  });

  test.each([
    ["keep", "from one\n", "root.1 write_to_file anthropic < root.1 by root"],
    ["take", "from two\n", "root.2 write_to_file anthropic < root.2 by root"],
  ])("names the writer of the version that a conflict left: %s", async (choice, text, origin) => {
    await using rig = await openRecorded(
      scriptOfRoot(
        [subtask("one"), subtask("two"), merge("root.1"), merge("root.2", choice)],
        ...writer("one", "b.txt", "from one\\n"),
        ...writer("two", "b.txt", "from two\\n"),
      ),
    );
    await runToEnd(rig);
    expect(await rig.file("b.txt")).toBe(text);
    expect(await originOf(rig, 1, "b.txt")).toBe(origin);
    expect(await verify(rig)).toMatchObject(CLEAN);
  });

  test("names the merge for the markers of a conflict, and the writers for what is between", async () => {
    await using rig = await openRecorded(
      scriptOfRoot(
        [subtask("one"), subtask("two"), merge("root.1"), merge("root.2", "mark")],
        ...writer("one", "b.txt", "from one\\n"),
        ...writer("two", "b.txt", "from two\\n"),
      ),
    );
    await runToEnd(rig);
    expect((await rig.file("b.txt")).split("\n").slice(1, 4)).toEqual(["from one", "=======", "from two"]);
    expect(await Promise.all([1, 2, 3, 4].map((line) => originOf(rig, line, "b.txt")))).toEqual([
      "root merge_subtask anthropic",
      "root.1 write_to_file anthropic < root.1 by root",
      "root merge_subtask anthropic",
      "root.2 write_to_file anthropic < root.2 by root",
    ]);
  });
});

describe("after a merge by a person, blame", () => {
  const alone = scriptOfRoot([subtask("one")], ...writer("one", "a.txt", "1\\nnew\\n3\\n4\\n5\\n"));

  test("names the subtask, and that a person merged it", async () => {
    await using rig = await openRecorded(alone);
    await runToEnd(rig);
    expect(await mergeByPerson(rig, "root.1")).toMatchObject({ merged: true });
    expect(await originOf(rig, 2)).toBe("root.1 write_to_file anthropic < root.1 by null");
    expect(await verify(rig)).toEqual({ lines: 2, tasks: 1, ...CLEAN });
  });

  test("names the subtask also where the merge kept an edit of a person in the workspace", async () => {
    await using rig = await openRecorded(alone);
    await runToEnd(rig);
    writeFileSync(path.join(rig.dir, "a.txt"), "1\n2\n3\n4\nperson\n");
    await mergeByPerson(rig, "root.1");
    expect(await rig.file("a.txt")).toBe("1\nnew\n3\n4\nperson\n");
    expect(await originOf(rig, 2)).toBe("root.1 write_to_file anthropic < root.1 by null");
    expect(await originOf(rig, 5)).toBe("unknown");
  });

  test("does not name the subtask for what a person edited in its worktree before", async () => {
    await using rig = await openRecorded(alone);
    await runToEnd(rig);
    const record = await isolationOf(rig).find("root.1");
    writeFileSync(path.join(record?.workspace ?? "", "a.txt"), "1\nnew\n3\nperson\n5\n");
    await mergeByPerson(rig, "root.1");
    expect(await originOf(rig, 4)).toBe("unrecorded < root.1 by null");
    expect(await verify(rig)).toMatchObject(CLEAN);
  });

  test("names no write of a file that a conflict kept out, and verify misses no line", async () => {
    await using rig = await openRecorded(
      scriptOfRoot(
        [subtask("one")],
        { mode: "one", after: "write_to_file", turn: completes("One done.") },
        { mode: "one", turn: `[${write("a.txt", "ours\\n")}, ${write("b.txt", "ours\\n")}]` },
      ),
    );
    await runToEnd(rig);
    writeFileSync(path.join(rig.dir, "a.txt"), "person\n");
    expect(await mergeByPerson(rig, "root.1", "keep")).toMatchObject({ changed: ["b.txt"] });
    expect(await linesOf(rig)).toEqual([
      "root.1 write_to_file a.txt",
      "root.1 write_to_file b.txt",
      "root.1 merge b.txt",
    ]);
    expect(await blameLine(rig.dir, "a.txt", 1)).toMatchObject({ found: { kind: "none" } });
    expect(await originOf(rig, 1, "b.txt")).toBe("root.1 write_to_file anthropic < root.1 by null");
    expect(await verify(rig)).toEqual({ lines: 3, tasks: 1, ...CLEAN });
  });
});

describe("a subtask that is not merged", () => {
  test("adds nothing to the ledger of its parent: declined", async () => {
    await using rig = await openRecorded(
      scriptOfRoot(
        [subtask("one"), write("b.txt", "mine\\n"), decline("root.1")],
        ...writer("one", "a.txt", "ours\\n"),
      ),
    );
    await runToEnd(rig);
    expect(await linesOf(rig)).toEqual(["root write_to_file b.txt"]);
    expect(await verify(rig)).toMatchObject(CLEAN);
  });

  test("adds nothing to the ledger of its parent: dropped, or in conflict", async () => {
    await using rig = await openRecorded(
      scriptOfRoot([subtask("one"), write("a.txt", "mine\\n")], ...writer("one", "a.txt", "ours\\n")),
    );
    await runToEnd(rig);
    expect(await mergeByPerson(rig, "root.1")).toMatchObject({ merged: false });
    const record = await isolationOf(rig).find("root.1");
    if (record !== undefined) await isolationOf(rig).remove(record);
    expect(await linesOf(rig)).toEqual(["root write_to_file a.txt"]);
    expect(await verify(rig)).toMatchObject(CLEAN);
  });
});
