import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";
import { fileObjects } from "../../store/index.ts";
import { writeName } from "../../store/task-history/file-name.ts";
import {
  checkpointsOf,
  createFolders,
  done,
  type Folders,
  put,
  treeOf,
} from "../adapters/checkpoints/tree.ts";
import { PostgresRig } from "../store/postgres/rig.ts";
import { Archive, commit, started } from "../store/task-history/data-folder.ts";
import { hasPostgres } from "../support/postgres.ts";
import { program } from "../support/program.ts";
import { silentIo } from "./in-process.ts";

const TASK = "moved";
const OUTPUT = randomBytes(2_500_000);

describe.skipIf(!hasPostgres)("signalbox db move of a task with outputs and checkpoints", () => {
  let rig: PostgresRig;
  let archive: Archive;
  let back: Archive;
  let folders: Folders;
  beforeAll(async () => {
    rig = await PostgresRig.start();
  });
  afterAll(() => rig.remove());
  beforeEach(() => {
    [archive, back] = [new Archive(), new Archive()];
    folders = createFolders();
  });
  afterEach(async () => {
    archive[Symbol.dispose]();
    back[Symbol.dispose]();
    folders.remove();
    await rig.clear();
  });

  async function signalbox(...args: readonly string[]) {
    const env = { ...process.env, SIGNALBOX_DATABASE: rig.cluster.url() };
    const io = { ...silentIo(), env, on: () => {}, off: () => {} };
    const code = await main(args, io);
    return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(io.stderr.read() ?? "") };
  }
  /** Move all tasks. Returns the line of the task. */
  async function moved(from: string, to: string): Promise<string> {
    const { code, stdout, stderr } = await signalbox("db", "move", "--from", from, "--to", to);
    expect(code, stdout + stderr).toBe(0);
    return stdout.split("\n")[0] ?? "";
  }

  /** Save states of the workspace with the repository of the data folder, and write the journal and an output of the task. */
  async function recorded() {
    const { workspace } = folders;
    const checkpoints = await checkpointsOf({ ...folders, dataDir: archive.dataDir });
    const saved: { hash: string; files: Record<string, string> }[] = [];
    for (const text of ["one\n", "two\n", "three\n"]) {
      put(workspace, "a.txt", text);
      put(workspace, `${text.trim()}.bin`, randomBytes(2_000));
      saved.push({ hash: done(await checkpoints.save()).hash, files: treeOf(workspace) });
    }
    const rows = saved.map(({ hash }, index) =>
      commit(index + 2, {
        log: [
          {
            type: "message.appended",
            message: { ts: 20 + index, type: "say", say: "checkpoint_saved", text: hash },
          },
        ],
      }),
    );
    archive.write(TASK, [started("Go"), ...rows], { workspace });
    mkdirSync(path.join(archive.folder(TASK), "output"));
    writeFileSync(path.join(archive.folder(TASK), "output", "cmd-1.txt"), OUTPUT);
    return saved;
  }

  const objectsOfRows = () => rig.objectsOfNewWorker(TASK).objects;
  async function contents(objects: Pick<ReturnType<typeof objectsOfRows>, "list" | "read">) {
    const found: Record<string, string> = {};
    for (const folder of ["output", "checkpoints"] as const)
      for (const { name } of await objects.list(folder)) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of objects.read(name)) chunks.push(chunk);
        found[name] = Buffer.concat(chunks).toString("base64");
      }
    return found;
  }

  test("copies records, name, outputs and checkpoints there and back, byte for byte", async () => {
    const saved = await recorded();
    await writeName(archive.folder(TASK), "My task");
    const bytes = archive.bytes(TASK);
    expect(await moved(archive.dataDir, rig.cluster.url())).toBe(
      `${TASK}: moved ${bytes.length} bytes, 4 outputs and checkpoints.`,
    );
    const there = await contents(objectsOfRows());
    expect(there["output/cmd-1.txt"]).toBe(OUTPUT.toString("base64"));
    expect(Object.keys(there)).toHaveLength(4);
    expect((await signalbox("show", TASK, "--database")).stdout).toContain("My task");
    await moved(rig.cluster.url(), back.dataDir);
    expect(back.bytes(TASK)).toEqual(bytes);
    expect(await contents(fileObjects({ dir: back.folder(TASK) }))).toEqual(there);
    expect((await signalbox("show", TASK, "--data-dir", back.dataDir)).stdout).toContain("My task");
    expect(saved).toHaveLength(3);
  });

  test("lets another machine restore each checkpoint that was made in files", async () => {
    const saved = await recorded();
    await moved(archive.dataDir, rig.cluster.url());
    const elsewhere = createFolders();
    const checkpoints = await checkpointsOf(elsewhere, { objects: objectsOfRows() });
    for (const { hash, files } of saved.toReversed()) {
      done(await checkpoints.restore(hash));
      expect(treeOf(elsewhere.workspace)).toEqual(files);
    }
    elsewhere.remove();
  });

  test("lets signalbox restore --database use the checkpoints on another machine, and undo it", async () => {
    const saved = await recorded();
    await moved(archive.dataDir, rig.cluster.url());
    const elsewhere = ["--database", "--data-dir", back.dataDir];
    const restored = await signalbox("restore", TASK, "--to", saved[0]?.hash ?? "", "-y", ...elsewhere);
    expect(restored.code, restored.stderr).toBe(0);
    expect(treeOf(folders.workspace)).toEqual(saved[0]?.files);
    const [, undo = ""] =
      /To undo this: signalbox restore moved --to (\S+) --database /.exec(restored.stdout) ?? [];
    expect((await signalbox("restore", TASK, "--to", undo, "-y", ...elsewhere)).code).toBe(0);
    expect(treeOf(folders.workspace)).toEqual(saved[2]?.files);
  });

  test("lets signalbox restore use the checkpoints that came back from the database, even if the workspace was missing", async () => {
    const [first] = await recorded();
    await moved(archive.dataDir, rig.cluster.url());
    rmSync(folders.workspace, { recursive: true });
    await moved(rig.cluster.url(), back.dataDir);
    mkdirSync(folders.workspace);
    const restored = await signalbox(
      "restore",
      TASK,
      "--to",
      first?.hash ?? "",
      "-y",
      "--data-dir",
      back.dataDir,
    );
    expect(restored.code, restored.stderr).toBe(0);
    expect(treeOf(folders.workspace)).toEqual(first?.files);
  });

  test("says how many checkpoints the data folder itself lacks, and moves the rest", async () => {
    await recorded();
    rmSync(path.join(archive.dataDir, "checkpoints"), { recursive: true });
    expect(await moved(archive.dataDir, rig.cluster.url())).toMatch(
      /, 1 output or checkpoint\. 3 checkpoints were not copied: .* lacks them\.$/,
    );
  });

  test("adds the task to the index of the list", async () => {
    await recorded();
    await moved(archive.dataDir, rig.cluster.url());
    const { rows } = await rig.admin.query(
      "SELECT t.epoch = t.summarized_epoch AS current, s.summary::json->>'title' AS title FROM signalbox.task t JOIN signalbox.task_summary s USING (id)",
    );
    expect(rows).toEqual([{ current: true, title: "Go" }]);
  });

  test.each([
    ["files", "object"],
    ["files", "journal"],
    ["files", "mark"],
    ["database", "object"],
    ["database", "journal"],
    ["database", "mark"],
  ] as const)("from %s is repeated whole after a kill before the end of the step %s", async (from, step) => {
    await recorded();
    const bytes = archive.bytes(TASK);
    const url = rig.cluster.url();
    if (from === "database") await moved(archive.dataDir, url);
    const dataDir = from === "files" ? archive.dataDir : back.dataDir;
    const child = fork(await program(new URL("../store/postgres/mover.child.ts", import.meta.url)), [
      JSON.stringify({ url, dataDir, from, step }),
    ]);
    const exited = once(child, "exit");
    await once(child, "message");
    child.kill("SIGKILL");
    expect((await exited)[1]).toBe("SIGKILL");
    await rig.expire(TASK);
    const before = from === "database" ? await contents(objectsOfRows()) : undefined;
    await moved(...(from === "files" ? ([dataDir, url] as const) : ([url, dataDir] as const)));
    const copy = from === "files" ? objectsOfRows() : fileObjects({ dir: back.folder(TASK) });
    const found = await contents(copy);
    expect(Object.keys(found)).toHaveLength(4);
    if (before !== undefined) expect(found).toEqual(before);
    if (from === "database") expect(readFileSync(back.journal(TASK))).toEqual(bytes);
    expect((await signalbox("db", "check")).code).toBe(0);
  });
});
