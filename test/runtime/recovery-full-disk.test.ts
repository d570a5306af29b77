import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { filter, firstValueFrom } from "rxjs";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createHost } from "../../runtime/host.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { fileJournal } from "../../store/index.ts";
import { allowEverything, builtinTools, defineTool } from "../../tools/index.ts";
import { fold } from "../crash/fold.ts";
import { journalIn, recordsOf } from "../crash/records.ts";
import { DONE, messagesOf, openRig } from "../support/host.ts";
import { call, complete, scripted } from "../support/model.ts";

/** The fault of the disk, from the write of a record with this text on, until it works again. */
const disk = vi.hoisted(() => ({ failsAt: "", failed: false, takes: 0, code: "", works: true }));
vi.mock("node:fs", async (importOriginal) => {
  const real = await importOriginal<typeof import("node:fs")>();
  const writeSync = (fd: number, bytes: Buffer, from: number): number => {
    disk.failed ||= !disk.works && bytes.includes(disk.failsAt);
    if (disk.works || !disk.failed) return real.writeSync(fd, bytes, from);
    // A short write: a part is written, the next write fails.
    const part = Math.min(disk.takes, bytes.length - from);
    if (part > 0 && from === 0) return real.writeSync(fd, bytes, from, part);
    throw Object.assign(new Error(`${disk.code}: a fault`), { code: disk.code });
  };
  return { ...real, writeSync };
});
beforeEach(() => Object.assign(disk, { failed: false, works: true }));

/** An effect that can be counted. */
function counting() {
  const ran: string[] = [];
  const tool = defineTool({
    name: "count",
    description: "Counts.",
    inputSchema: z.object({ key: z.string() }),
    effect: "executes",
    execute: ({ key }) => {
      ran.push(key);
      return `counted ${key}`;
    },
  });
  return { ran, tools: [...builtinTools(), tool] };
}
const count = (key: string) => `{ tool: count, input: { key: ${key} } }`;
const script = `rules: [{ when: { user: go on }, turns: [${DONE}] }, { turns: [${count("one")}, ${count("two")}, ${DONE}] }]`;

const FAULTS = [
  { code: "ENOSPC", takes: 0, named: "JOURNAL_FULL", words: "disk is full" },
  { code: "ENOSPC", takes: 100, named: "JOURNAL_FULL", words: "disk is full" },
  { code: "EIO", takes: 0, named: "JOURNAL_IO", words: "disk" },
  { code: "EIO", takes: 57, named: "JOURNAL_IO", words: "disk" },
];
const RECORDS = [
  '"kind":"header"',
  '"type":"task.opened"',
  '"type":"context.ready"',
  '"type":"llm.tool.start"',
  '"type":"llm.finished"',
  '"decisions"',
  '"type":"tool.finished"',
  "toolu_1001",
];
const POINTS = RECORDS.flatMap((failsAt) => FAULTS.map((fault) => ({ ...fault, failsAt })));

describe("L11: a disk that fails while a task runs", () => {
  test.each(POINTS)(
    "with $code at the record of $failsAt after $takes bytes: the task settles, no effect starts, and it resumes when writes succeed",
    async ({ code, takes, failsAt, named, words }) => {
      const { ran, tools } = counting();
      await using rig = await openRig({ script, tools, policy: allowEverything() });
      Object.assign(disk, { failsAt, takes, code, works: false });
      await expect(rig.task.run("Do it")).rejects.toMatchObject({ code: named });
      expect(rig.task.state).toMatchObject({ state: "resumable", currentAsk: "resume_task" });
      const errors = rig.task.log.toArray().filter(({ say }) => say === "error");
      expect(errors.map(({ text }) => text?.toLowerCase())).toEqual([expect.stringContaining(words)]);

      const begun = [...ran];
      const sent = rig.sent().length;
      expect(rig.task.asks).toEqual([]);
      await expect(rig.task.run("go on")).rejects.toMatchObject({ code: named });
      expect([ran, rig.sent().length]).toEqual([begun, sent]);

      disk.works = true;
      await rig.task.flushed();
      expect((await rig.task.run("go on")).result).toBe("Done.");
      expect(new Set(ran).size).toBe(ran.length);

      const rows = rig.task.log.toArray();
      await rig.host.closeAll();
      const { broken } = fold(recordsOf(await journalIn(path.join(rig.dataDir, "tasks", rig.task.id))));
      expect(broken).toEqual([]);
      const elsewhere = await mkdtemp(path.join(tmpdir(), "elsewhere-"));
      await cp(path.join(rig.dataDir, "tasks"), path.join(elsewhere, "tasks"), { recursive: true });
      const host = createHost({ dataDir: elsewhere });
      const again = await host.open(rig.task.id, { model: scripted([]), workspace: rig.dir });
      // Its completion was never accepted: that ask is withdrawn, and the resume ask is opened.
      expect(again.log.toArray().slice(0, -2)).toEqual(rows.slice(0, -1));
      expect(messagesOf(again).at(-1)).toBe("ask:resume_completed_task");
      await host.closeAll();
      await rm(elsewhere, { recursive: true });
    },
  );
});

const asRoot = (tool: string, ...args: readonly string[]): void => {
  execFileSync(tool, args, { stdio: "pipe" });
};

/** A disk for this test, or the reason why there is none. */
function smallDisk(): { readonly dir?: string; readonly reason: string } {
  if (process.platform !== "linux") return { reason: "only Linux has tmpfs" };
  const dir = mkdtempSync(path.join(tmpdir(), "small-disk-"));
  try {
    asRoot("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir);
    return { dir, reason: "" };
  } catch (error) {
    rmSync(dir, { recursive: true });
    return { reason: String(error) };
  }
}

describe("L11: a disk of 64 KB", () => {
  const { dir = "", reason } = smallDisk();
  if (dir === "") console.log(`A full disk is only simulated here: ${reason}`);
  afterAll(() => {
    if (dir === "") return;
    asRoot("umount", dir);
    rmSync(dir, { recursive: true });
  });

  test.skipIf(dir === "")(
    "fills up while a task runs: the task settles, and resumes when there is space",
    async () => {
      const ballast = path.join(dir, "ballast");
      await writeFile(ballast, Buffer.alloc(24 * 1024));
      const folder = path.join(dir, "task");
      await mkdir(folder);
      const { ran, tools } = counting();
      const turns = Array.from({ length: 60 }, (_, index) => () => counted(index));
      // The responses after the cut one complete the task.
      let isFull = true;
      const model = scripted(turns.map((turn) => () => (isFull ? turn() : complete())));
      await using rig = await openRig({
        model,
        tools,
        policy: allowEverything(),
        limits: { requests: 1000, cost: 1000 },
        journal: () => fileJournal({ dir: folder }),
      });
      const shown: TaskCommit[] = [];
      rig.task.events$.subscribe((commit) => shown.push(commit));
      await expect(rig.task.run("Do it")).rejects.toMatchObject({ code: "JOURNAL_FULL" });
      expect(rig.task.state.state).toBe("resumable");
      expect(shown.filter(({ durable }) => !durable)).toHaveLength(1);
      const begun = ran.length;
      expect(begun).toBeGreaterThan(0);
      await expect(rig.task.flushed()).rejects.toMatchObject({ code: "JOURNAL_FULL" });
      expect(ran.length).toBe(begun);
      const durable = recordsOf(await journalIn(folder)).length;
      expect(shown.filter((commit) => commit.durable).every(({ seq }) => seq < durable)).toBe(true);

      isFull = false;
      await rm(ballast);
      await rig.task.flushed();
      await firstValueFrom(rig.task.asks$.pipe(filter(({ kind }) => kind === "resume")));
      expect((await rig.task.run("go on")).result).toBe("Done.");
      expect(new Set(ran).size).toBe(ran.length);
      expect(fold(recordsOf(await journalIn(folder))).broken).toEqual([]);
    },
  );
});

async function* counted(index: number) {
  yield { type: "text.delta", text: "word ".repeat(100) } as const;
  yield { type: "block.end" } as const;
  yield* call("count", { key: `key-${index}` }, `toolu_${index}`);
  const usage = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 };
  yield { type: "finished", stopReason: "tool_use", usage } as const;
}
