import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Isolation } from "../../../adapters/isolation/isolation.ts";
import type { MergeLedger } from "../../../adapters/isolation/merged-file.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import { blameLine, readLedger, verifyLedger } from "../../../store/index.ts";
import type { LedgerEntry, LedgerLine } from "../../../store/ledger/entry.ts";
import { encodeEntry } from "../../../store/ledger/line.ts";
import { GIT_ENV, git, openProject, type Project } from "./project.ts";
import { RecordedTasks } from "./recorded-tasks.ts";

const withMerger = (line: LedgerLine, by: string | null): LedgerEntry => ({
  ...line,
  ...(line.merged !== undefined && { merged: { ...line.merged, by } }),
});

let project: Project;
beforeEach(async () => {
  project = await openProject({ "a.txt": "1\n2\n3\n", "b.txt": "b\n", ".orchestration/.gitkeep": "" });
});
afterEach(() => project[Symbol.asyncDispose]());

let tasks: RecordedTasks;
beforeEach(() => {
  tasks = new RecordedTasks(project.dataDir);
});
const write = (...args: Parameters<RecordedTasks["write"]>): Promise<void> => tasks.write(...args);

const lines = async (): Promise<readonly string[]> =>
  existsSync(project.files.at(".orchestration/agent_trace.jsonl"))
    ? (await readLedger(project.files.dir)).map(({ line }) => `${line?.task} ${line?.tool} ${line?.path}`)
    : [];
const problems = async () => (await verifyLedger(project.files.dir, project.dataDir)).problems;
/** The task that wrote a line, and those through whose merges it came. */
async function writerOf(line: number, name = "a.txt"): Promise<string> {
  const { found, merges, isCurrent } = await blameLine(project.files.dir, name, line);
  expect(isCurrent).toBe(true);
  const through = merges.map((each) => ` < ${each.line.task}`).join("");
  return `${found.kind === "write" ? found.line.task : found.kind}${through}`;
}

/** An isolation that has the ledger of the project, until it is replaced. */
const isolationWith = (ledger: MergeLedger): Isolation =>
  new Isolation({ dataDir: project.dataDir, clock: { now: () => 1_000 }, ledger, env: GIT_ENV });

class Killed extends Error {}

/** Calls `step` before and after each change of a file and the record of the merge. */
const stepped = (workspace: Workspace, step: () => void) => {
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    step();
    const result = await work();
    step();
    return result;
  };
  return {
    workspace: {
      ...workspace,
      write: (...args: Parameters<Workspace["write"]>) => around(() => workspace.write(...args)),
      remove: (...args: Parameters<Workspace["remove"]>) => around(() => workspace.remove(...args)),
    },
    ledger: {
      isOn: (root: string) => project.ledger.isOn(root),
      record: (merge: Parameters<MergeLedger["record"]>[0]) => around(() => project.ledger.record(merge)),
    },
  };
};

describe("a merge that is killed partway and repeated", () => {
  const WHOLE = [
    "root write_to_file a.txt",
    "root.1 write_to_file a.txt",
    "root.1 write_to_file b.txt",
    "root.1 write_to_file c.txt",
    "root.1 merge a.txt",
    "root.1 merge b.txt",
    "root.1 merge c.txt",
  ];

  test.each(Array.from({ length: 8 }, (_, index) => index + 1))(
    "loses no line of the ledger and has none twice: at step %i",
    async (killedAt) => {
      const { record, files } = await project.open("root.1");
      await write("root", project.files, "a.txt", "1\n2\nmine\n");
      await write("root.1", files, "a.txt", "theirs\n2\n3\n");
      await write("root.1", files, "b.txt", "theirs\n");
      await write("root.1", files, "c.txt", "new\n");
      let step = 0;
      const real = await openWorkspace(project.files.dir);
      const { workspace, ledger } = stepped(real, () => {
        step += 1;
        if (step === killedAt) throw new Killed();
      });
      await expect(isolationWith(ledger).merge(record, { workspace, conflicts: "stop" })).rejects.toThrow();
      expect(step).toBe(killedAt);
      expect(await project.merge(record)).toMatchObject({ merged: true });
      expect(await lines()).toEqual(WHOLE);
      expect(project.files.read("a.txt")).toBe("theirs\n2\nmine\n");
      expect(await Promise.all([1, 2, 3].map((line) => writerOf(line)))).toEqual([
        "root.1 < root.1",
        "older",
        "root",
      ]);
      expect(await writerOf(1, "c.txt")).toBe("root.1 < root.1");
      expect(await problems()).toEqual([]);
      expect(await project.isolation.list()).toEqual([]);
    },
  );
});

describe("the ledger of a worktree", () => {
  test("has only what was written there, and is neither merged nor a change, also if it is committed", async () => {
    await write("root", project.files, "b.txt", "mine\n");
    git(project.files.dir, "add", "--all", "--force");
    git(project.files.dir, "commit", "--quiet", "--message", "With ledger");
    const { record, files } = await project.open("root.1");
    await write("root.1", files, "a.txt", "theirs\n2\n3\n");
    expect((await readLedger(files.dir)).map(({ line }) => line?.task)).toEqual(["root.1"]);
    git(files.dir, "add", "--all");
    git(files.dir, "commit", "--quiet", "--message", "Mine");
    expect((await project.isolation.changes(record)).files.map((file) => file.path)).toEqual(["a.txt"]);
    await project.merge(record);
    expect(await lines()).toEqual([
      "root write_to_file b.txt",
      "root.1 write_to_file a.txt",
      "root.1 merge a.txt",
    ]);
    expect(await problems()).toEqual([]);
  });

  test("is on where the ledger of the workspace is, and only there", async () => {
    project.files.remove(".orchestration");
    expect((await project.open("t.1")).files.has(".orchestration")).toBe(false);
    project.files.write(".orchestration/agent_trace.jsonl", "");
    const { files } = await project.open("t.2");
    expect([files.has(".orchestration"), files.has(".orchestration/agent_trace.jsonl")]).toEqual([
      true,
      false,
    ]);
  });

  test("gets a write that a crash kept from it before it is merged, also of a subtask there", async () => {
    const { record, files } = await project.open("root.1");
    await write("root.1", files, "a.txt", "theirs\n2\n3\n");
    await write("root.1", files, "a.txt", "theirs\n2\nlast\n", "killed");
    await write("root.1.1", files, "b.txt", "theirs\n", "killed");
    await project.merge(record);
    expect(await Promise.all([writerOf(1), writerOf(3), writerOf(1, "b.txt")])).toEqual([
      "root.1 < root.1",
      "root.1 < root.1",
      "root.1.1 < root.1",
    ]);
    expect(await problems()).toEqual([]);
  });
});

describe("a task that works on after its merge", () => {
  test.each([{}, { parentId: "root" }])(
    "has each of its lines once after a second merge, and none of what it wrote in between or dropped: %o",
    async (options) => {
      const first = await project.open("root.1", options);
      await write("root.1", first.files, "a.txt", "one\n2\n3\n");
      await project.merge(first.record);
      const second = await project.open("root.1", options);
      await write("root.1", second.files, "a.txt", "one\n2\ntwo\n");
      expect(await problems()).toEqual([]);
      await project.merge(second.record);
      const third = await project.open("root.1", options);
      await write("root.1", third.files, "a.txt", "one\nthree\ntwo\n");
      await project.isolation.remove(third.record);
      expect(await lines()).toEqual([
        "root.1 write_to_file a.txt",
        "root.1 merge a.txt",
        "root.1 write_to_file a.txt",
        "root.1 merge a.txt",
      ]);
      expect(await Promise.all([1, 2, 3].map((line) => writerOf(line)))).toEqual([
        "root.1 < root.1",
        "older",
        "root.1 < root.1",
      ]);
      expect(await problems()).toEqual([]);
    },
  );
});

describe("blame", () => {
  test("names the task for its line also if the parent had written the same and changed it back", async () => {
    const { record, files } = await project.open("root.1");
    await write("root.1", files, "a.txt", "one\n2\n3\n");
    await write("root", project.files, "b.txt", "mine\n");
    await write("root", project.files, "a.txt", "one\n2\n3\n");
    await write("root", project.files, "a.txt", "1\n2\nmine\n");
    await project.merge(record);
    expect(project.files.read("a.txt")).toBe("one\n2\nmine\n");
    expect(await Promise.all([writerOf(1), writerOf(3)])).toEqual(["root.1 < root.1", "root"]);
  });

  test("has no write of a file of a subtask's subtask that a conflict kept out", async () => {
    const { record, files } = await project.open("root.1");
    const inner = await project.open("root.1.1", { source: files.dir });
    await write("root.1.1", inner.files, "a.txt", "theirs\n");
    await write("root.1.1", inner.files, "b.txt", "theirs\n");
    const workspace = await openWorkspace(files.dir);
    await project.isolation.merge(inner.record, { workspace, conflicts: "stop", by: "root.1" });
    project.files.write("a.txt", "person\n");
    await project.merge(record, "keep");
    expect(await writerOf(1, "b.txt")).toBe("root.1.1 < root.1 < root.1.1");
    expect((await blameLine(project.files.dir, "a.txt", 1)).found).toEqual({ kind: "none" });
    expect(await problems()).toEqual([]);
  });
});

describe("a file of a worktree that no call recorded", () => {
  const INTERRUPTED = { task: "root.1", tool: "execute_command", model: "mock/m1" };
  const originOf = async (line: number, name: string) =>
    (await blameLine(project.files.dir, name, line)).found;

  test("is attributed to the task, and names its interrupted command, its record and its model", async () => {
    const { record, files } = await project.open("root.1");
    await tasks.interrupt("root.1", files, "c.txt", "by a command\n");
    await project.merge(record);
    expect(await originOf(1, "c.txt")).toMatchObject({
      kind: "unrecorded",
      number: 1,
      line: { task: "root.1", merged: { tasks: [], interrupted: [{ ...INTERRUPTED, sequence: 1 }] } },
    });
    expect(await problems()).toEqual([]);
  });

  test("has older lines for those that were there before, and none for a command that ended", async () => {
    const { record, files } = await project.open("root.1");
    await write("root.1", files, "b.txt", "recorded\n");
    files.write("a.txt", "1\nchanged\n3\n");
    await project.merge(record);
    expect((await originOf(1, "a.txt")).kind).toBe("older");
    const found = await originOf(2, "a.txt");
    expect(found).toMatchObject({ kind: "unrecorded", line: { task: "root.1" } });
    expect(found).not.toHaveProperty("line.merged.interrupted");
  });

  test("is not older than the ledger where a call edited it after the interrupted command", async () => {
    const { record, files } = await project.open("root.1");
    await tasks.interrupt("root.1", files, "c.txt", "by a command\n");
    await write("root.1", files, "c.txt", "by a command\nby a call\n");
    await project.merge(record);
    expect((await originOf(1, "c.txt")).kind).toBe("unrecorded");
    expect(await originOf(2, "c.txt")).toMatchObject({ kind: "write", line: { tool: "write_to_file" } });
  });

  test("is of the task that merged before its process was killed, not of the person who merges again", async () => {
    const { record, files } = await project.open("root.1");
    await write("root.1", files, "a.txt", "theirs\n2\n3\n");
    const killed = {
      isOn: (root: string) => project.ledger.isOn(root),
      record: () => Promise.reject(new Killed()),
    };
    const workspace = await openWorkspace(project.files.dir);
    const merge = { workspace, conflicts: "stop", by: "root" } as const;
    await expect(isolationWith(killed).merge(record, merge)).rejects.toThrow();
    await project.merge(record);
    const { merges } = await blameLine(project.files.dir, "a.txt", 1);
    expect(merges.map(({ line }) => line.merged?.by)).toEqual(["root"]);
  });
});

describe("verify", () => {
  const LEDGER = ".orchestration/agent_trace.jsonl";

  /** The lines of a merge by a task of a.txt and c.txt, then one by a person of b.txt. */
  async function mergedTwice(): Promise<readonly LedgerLine[]> {
    const one = await project.open("root.1");
    await write("root.1", one.files, "a.txt", "theirs\n2\n3\n");
    const workspace = await openWorkspace(project.files.dir);
    await project.isolation.merge(one.record, { workspace, conflicts: "stop", by: "root" });
    const two = await project.open("root.2");
    await write("root.2", two.files, "b.txt", "theirs\n");
    await project.merge(two.record);
    expect(await problems()).toEqual([]);
    return (await readLedger(project.files.dir)).flatMap(({ line }) => line ?? []);
  }
  /** Put lines into the ledger, each with its own hash and after the one before it of its task. */
  function put(entries: readonly LedgerEntry[]): void {
    const heads = new Map<string, string>();
    const texts = entries.map((entry) => {
      const { text, hash } = encodeEntry(entry, heads.get(entry.task) ?? null);
      heads.set(entry.task, hash);
      return `${text}\n`;
    });
    project.files.write(LEDGER, texts.join(""));
  }

  test("finds who merged that was rewritten with a new hash: its line, the expected and the found one", async () => {
    const found = await mergedTwice();
    for (const [at, by, problem] of [
      [1, null, 'merged.by: expected "root", found null'],
      [3, "root", 'merged.by: expected null, found "root"'],
    ] as const) {
      put(found.map((line, index) => (index === at && line.merged ? withMerger(line, by) : line)));
      expect(await problems()).toMatchObject([{ line: at + 1, problem: expect.stringContaining(problem) }]);
    }
  });

  test("finds the last line of a task that is a merge and was removed: by a task, and by a person", async () => {
    const found = await mergedTwice();
    for (const [at, problem] of [
      [1, "expected the merge of a.txt from task root.1 by task root, found no line"],
      [3, "expected the merge of b.txt from task root.2 by a person, found no line"],
    ] as const) {
      put(found.filter((_, index) => index !== at));
      expect(await problems()).toMatchObject([{ problem: expect.stringContaining(problem) }]);
    }
  });

  test("finds that all lines of a merged task were removed", async () => {
    const found = await mergedTwice();
    put(found.slice(0, 2));
    expect(await problems()).toMatchObject([{ task: "root.2" }]);
  });

  test("finds an invented merge, and any other field of one that was rewritten", async () => {
    const found = await mergedTwice();
    const [, merge] = found;
    if (merge === undefined) throw new Error("no merge");
    put([...found, { ...merge, part: 9 }]);
    expect(await problems()).toMatchObject([
      { line: 5, problem: expect.stringContaining("found one by task root: the line was invented") },
    ]);
    put(found.map((line) => (line === merge ? { ...merge, after: "f".repeat(64) } : line)));
    expect(await problems()).toMatchObject([
      { line: 2, problem: expect.stringContaining(`found "${"f".repeat(64)}"`) },
    ]);
  });

  test("finds by the journal of the task that merged that its merge names another, if the data folder agrees", async () => {
    const found = await mergedTwice();
    const merge = found[1];
    if (merge?.merged === undefined) throw new Error("no merge");
    await tasks.call("root", project.files, "merge_subtask", merge);
    const call = (await readLedger(project.files.dir)).at(-1)?.line;
    if (call === undefined) throw new Error("no call");
    expect([call.tool, await problems()]).toEqual(["merge_subtask", []]);
    put([...found.map((line) => (line === merge ? withMerger(line, null) : line)), call]);
    const record = path.join(project.dataDir, "worktrees/root.1/merges.json");
    writeFileSync(record, readFileSync(record, "utf8").replace('"by":"root"', '"by":null'));
    expect(await problems()).toMatchObject([
      { line: 2, problem: expect.stringContaining("expected a merge by task root, found one by a person") },
    ]);
  });

  test("finds a line of a merged task that was edited, invented or removed before another", async () => {
    const { record, files } = await project.open("root.1");
    await write("root.1", files, "a.txt", "one\n2\n3\n");
    await write("root.1", files, "a.txt", "one\ntwo\n3\n");
    await project.merge(record);
    const ledger = ".orchestration/agent_trace.jsonl";
    const [one = "", two = "", merged = ""] = project.files.read(ledger).split("\n");
    for (const texts of [
      [one, merged],
      [two, merged],
      [one, two, merged.replace('"by":null', '"by":"x"')],
    ]) {
      project.files.write(ledger, `${texts.join("\n")}\n`);
      expect(await problems()).not.toEqual([]);
    }
  });
});

describe("a merge into another folder", () => {
  test("is recorded in the ledger of that folder", async () => {
    const { record, files } = await project.open("root.1");
    await write("root.1", files, "a.txt", "theirs\n2\n3\n");
    const other = await project.open("other");
    const workspace = await openWorkspace(other.files.dir);
    await project.isolation.merge(record, { workspace, conflicts: "stop" });
    expect((await readLedger(other.files.dir)).map(({ line }) => line?.tool)).toEqual([
      "write_to_file",
      "merge",
    ]);
    expect(await lines()).toEqual([]);
  });
});
