import { EventEmitter } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCheckpoints } from "../../adapters/index.ts";
import { main } from "../../cli/main.ts";
import { fileJournal } from "../../store/index.ts";
import { encodeLine } from "../../store/journal/line.ts";
import { JOURNAL_VERSION, type JournalDraft } from "../../wire/journal/record.ts";
import { temporaryFolder } from "./process.ts";

let folder: ReturnType<typeof temporaryFolder>;
let workspace: string;
let dataDir: string;
beforeEach(() => {
  folder = temporaryFolder();
  workspace = path.join(folder.path, "work");
  dataDir = path.join(folder.path, "my data");
  mkdirSync(workspace);
});
afterEach(() => folder.remove());

const file = (name: string): string => path.join(workspace, name);
const read = (name: string): string => readFileSync(file(name), "utf8");
const journalOf = (id: string): string => path.join(dataDir, "tasks", id, "journal.jsonl");

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command in this process; on a terminal the person types `typed`. */
async function restore(args: readonly string[], typed?: string): Promise<Said> {
  const stdin = new PassThrough();
  stdin.end(typed);
  const io = Object.assign(new EventEmitter(), {
    stdin: Object.assign(stdin, typed === undefined ? {} : { isTTY: true }),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });
  const code = await main(["restore", ...args, "--data-dir", dataDir], io);
  const said = (stream: PassThrough): string => String(stream.read() ?? "");
  return { code, stdout: said(io.stdout), stderr: said(io.stderr) };
}

/** A task's journal: its header, then a commit for each hash, with the row of a checkpoint; none for undefined. */
function record(id: string, hashes: readonly (string | undefined)[], where: string | null = workspace): void {
  const header: JournalDraft = {
    seq: 0,
    kind: "header",
    version: JOURNAL_VERSION,
    taskId: id,
    createdAt: 1000,
    ...(where !== null && { workspace: where }),
  };
  const commits = hashes.map((hash, index): JournalDraft => {
    const at = 2000 + index;
    const text = hash ?? "words";
    const say = hash === undefined ? "text" : "checkpoint_saved";
    const message = { ts: at, type: "say", say, text } as const;
    return {
      seq: index + 1,
      kind: "commit",
      at,
      before: "running",
      after: "running",
      log: [{ type: "message.appended", message }],
    };
  });
  mkdirSync(path.dirname(journalOf(id)), { recursive: true });
  writeFileSync(journalOf(id), [header, ...commits].map((draft) => `${encodeLine(draft)}\n`).join(""));
}

async function save(): Promise<string> {
  const checkpoints = await openCheckpoints({ workspace, dataDir });
  if ("off" in checkpoints) throw new Error(checkpoints.off);
  const saved = await checkpoints.save();
  if (!saved.ok) throw new Error(saved.reason);
  return saved.hash;
}

/** A task that changed a.txt twice, with a checkpoint before each change: records 2 and 4. */
async function twoChanges(): Promise<void> {
  writeFileSync(file("a.txt"), "one\n");
  const first = await save();
  writeFileSync(file("a.txt"), "two\n");
  const second = await save();
  writeFileSync(file("a.txt"), "three\n");
  writeFileSync(file("new.txt"), "new\n");
  record("t1", [undefined, first, undefined, second, undefined]);
}

describe("signalbox restore", () => {
  test("shows the files and the diff, asks, restores the files and prints how to undo it", async () => {
    await twoChanges();
    const { code, stdout, stderr } = await restore(["t1", "--at", "4"], "y\n");
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain(" to the checkpoint of record 4 (1970-01-01T00:00:02.003Z):");
    expect(stdout).toContain(
      "  ~ a.txt\n  - new.txt\n0 files to add (+), 1 file to change (~), 1 file to remove (-).",
    );
    expect(stdout).toContain("-three\n+two\n");
    expect(stdout.indexOf("-three")).toBeLessThan(stdout.indexOf("Restore these files? [y/N]"));
    expect(read("a.txt")).toBe("two\n");

    const undo = /To undo this: signalbox restore t1 --to (\w+) --data-dir '(.*)'/.exec(stdout);
    expect(undo?.[2]).toBe(dataDir);
    expect((await restore(["t1", "--to", undo?.[1] ?? "", "--yes"])).code).toBe(0);
    expect([read("a.txt"), read("new.txt")]).toEqual(["three\n", "new\n"]);
  });

  test("uses the newest checkpoint up to the record, or the newest of all", async () => {
    await twoChanges();
    expect((await restore(["t1", "--yes"])).code).toBe(0);
    expect(read("a.txt")).toBe("two\n");
    expect((await restore(["t1", "--at", "3", "-y"])).code).toBe(0);
    expect(read("a.txt")).toBe("one\n");
    expect((await restore(["t1", "--at", "3", "-y"])).stdout).toContain("match the checkpoint of record 2");
  });

  test.each(["n\n", "\n", "", "yess\n"])("a %j changes nothing", async (typed) => {
    await twoChanges();
    const { code, stdout } = await restore(["t1"], typed);
    expect(code).toBe(0);
    expect(stdout).toContain("Nothing was changed.");
    expect(read("a.txt")).toBe("three\n");
  });

  test("without a terminal it shows the diff and needs --yes", async () => {
    await twoChanges();
    const { code, stdout, stderr } = await restore(["t1"]);
    expect(code).toBe(1);
    expect(stdout).toContain("-three\n+two\n");
    expect(stderr).toContain("[CLI] Error: can't ask for confirmation");
    expect(stderr).toContain("add --yes");
    expect(read("a.txt")).toBe("three\n");
  });

  test("reads the journal and leaves it as it is", async () => {
    await twoChanges();
    const before = readFileSync(journalOf("t1"));
    await restore(["t1", "--yes"]);
    expect(readFileSync(journalOf("t1"))).toEqual(before);
  });

  test("is refused while the task is open elsewhere", async () => {
    await twoChanges();
    const held = fileJournal({ dir: path.dirname(journalOf("t1")) });
    await held.own();
    const { code, stderr } = await restore(["t1", "--yes"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\[CLI\] Error: Journal .*journal\.jsonl: /);
    expect(read("a.txt")).toBe("three\n");
    await held.close();
    expect((await restore(["t1", "--yes"])).code).toBe(0);
  });

  test("a checkpoint is named by the characters that are shown of it, at least 7", async () => {
    await twoChanges();
    const [shown = ""] = /[0-9a-f]{12}$/m.exec((await restore(["t1", "--list"])).stdout) ?? [];
    expect(await restore(["t1", "--to", shown.slice(0, 7), "--yes"])).toMatchObject({ code: 0, stderr: "" });
    expect(read("a.txt")).toBe("one\n");
    expect((await restore(["t1", "--to", shown.slice(0, 6), "--yes"])).stderr).toContain(
      `expected the name of a checkpoint, or its first 7 characters or more, received '${shown.slice(0, 6)}'`,
    );
  });

  test("escapes in names and files are printed as text", async () => {
    writeFileSync(file("a\u001b[2J"), "one\u001b[1A\n");
    record("t1", [await save()]);
    rmSync(file("a\u001b[2J"));
    const { stdout } = await restore(["t1", "--yes"]);
    expect(stdout).toContain("a\\u001b[2J");
    expect(stdout).not.toContain("\u001b");
  });

  test("--list shows the checkpoints with their records and times", async () => {
    await twoChanges();
    const { code, stdout } = await restore(["t1", "--list"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ {3}seq {2}time .*\n {5}2 {2}1970-01-01T00:00:02\.001Z {2}[0-9a-f]{12}\n {5}4 {2}1970-.*\n$/,
    );
  });
});

describe("an impossible restore is rejected with the reason", () => {
  test.each([
    [["nobody"], "There is no task nobody in "],
    [["../t1"], 'not starting with ".", got "../t1"'],
    [["t1", "--at", "6"], "--at 6 is beyond the end of task t1: expected 0 to 5."],
    [["t1", "--at", "1"], "task t1 has no checkpoint up to record 1: the first is at 2."],
    [["t1", "--at", "x"], "Expected a record number"],
    [["t1", "--to", "abc"], "expected the name of a checkpoint, or its first 7 characters"],
    [["t1", "--to", "abcdef0123"], "there is no checkpoint abcdef0123 of "],
    [["none"], "task none has no checkpoints"],
    [["foreign"], `there is no checkpoint ${"1".repeat(40)}`],
    [["nowhere"], "the journal of task nowhere names no workspace"],
    [["gone"], "/gone of task gone doesn't exist"],
  ])("%j", async (args, words) => {
    await twoChanges();
    record("none", [undefined]);
    record("foreign", ["1".repeat(40)]);
    record("gone", ["1".repeat(40)], path.join(folder.path, "gone"));
    record("nowhere", ["1".repeat(40)], null);
    const { code, stderr } = await restore([...args, "--yes"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\[CLI\] Error: /);
    expect(stderr).toContain(words);
    expect(read("a.txt")).toBe("three\n");
  });
});
