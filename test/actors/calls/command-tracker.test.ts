import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandTracker } from "../../../actors/calls/command-tracker.ts";
import { UnsentOutput } from "../../../actors/calls/unsent-output.ts";
import { systemClock } from "../../../actors/protocol/edge.ts";
import { systemShell } from "../../../adapters/shell/shell.ts";
import type { CommandWait } from "../../../ports/commands.ts";
import { deferred } from "../../support/model.ts";
import { stillClock } from "../../support/still-clock.ts";

const LONG_MS = 60_000;
const never = new AbortController().signal;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "commands-"));
});
afterEach(() => rm(folder, { recursive: true }));

function bench(options: Partial<ConstructorParameters<typeof CommandTracker>[0]> = {}) {
  const unsent = new UnsentOutput();
  const tracker = new CommandTracker({
    clock: systemClock,
    onRead: (id) => unsent.markSent(id),
    ...options,
  });
  const shell = systemShell();
  const start = (id: string, command: string, cwd = folder) => {
    const printed = deferred();
    const begun = deferred<number>();
    const end = tracker.shellOf(id, shell).run({
      command,
      cwd,
      timeoutMs: LONG_MS,
      signal: never,
      output(text) {
        unsent.add(id, text);
        printed.resolve();
      },
      started: begun.resolve,
    });
    return { end, printed: printed.promise, pid: begun.promise };
  };
  const read = (id: string, wait: Partial<CommandWait> = {}) =>
    tracker.read(id, { timeoutMs: 0, signal: never, ...wait });
  return { tracker, unsent, shell, start, read };
}

/** Whether a process runs. One that has ended may wait for its parent to read its end. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^ZX]/.test(stdout.trim());
}

/** Prints each line that is written to it, without its end, until it is `end`. */
const ECHO =
  'mkfifo in; exec 3<>in; echo begun; while read -r line <&3; do [ "$line" = end ] && exit 4; printf %b "$line"; done';
const write = (text: string): void => appendFileSync(path.join(folder, "in"), `${text}\n`);
const childOf = async (): Promise<number> => Number(await readFile(path.join(folder, "child"), "utf8"));

describe("a command that runs", () => {
  test("is read while it runs, each output once, and after its end with its exit code", async () => {
    const { start, read, unsent, tracker } = bench();
    const run = start("c1", ECHO);
    await run.printed;
    expect(tracker.running).toEqual(["c1"]);
    expect(await read("c1")).toEqual({ command: ECHO, output: "begun\n", cutChars: 0, isMatched: false });
    expect(unsent.of("c1", undefined)).toBe("");
    expect(await read("c1")).toMatchObject({ output: "" });
    write("more\\n");
    write("end");
    await run.end;
    expect(await read("c1")).toMatchObject({ output: "more\n", end: { exitCode: 4, timedOut: false } });
    expect(tracker.running).toEqual([]);
  });

  test("that ends during a wait ends the wait, with its last output", async () => {
    const { start, read } = bench();
    await start("c1", ECHO).printed;
    const report = read("c1", { timeoutMs: LONG_MS });
    write("last");
    write("end");
    expect(await report).toMatchObject({ output: "begun\nlast", end: { exitCode: 4 } });
  });

  test("is found by a pattern whose match is split over chunks, and only in output that was not read", async () => {
    const { start, read } = bench();
    const { printed, end } = start("c1", ECHO);
    await printed;
    const matches = (output: string): boolean => /^listening on 80$/m.test(output);
    const report = read("c1", { timeoutMs: LONG_MS, matches });
    for (const part of ["lis", "ten", "ing", "\\0040on\\0040", "80"]) write(part);
    expect(await report).toMatchObject({ isMatched: true, output: "begun\nlistening on 80" });
    expect(await read("c1", { matches })).toMatchObject({ isMatched: false, output: "" });
    write("end");
    await end;
  });

  test("two waits for one command end on their own, and no output is lost", async () => {
    const { start, read } = bench();
    const { printed, end } = start("c1", ECHO);
    await printed;
    const first = read("c1", { timeoutMs: LONG_MS, matches: (output) => output.includes("one") });
    const second = read("c1", { timeoutMs: LONG_MS, matches: (output) => output.includes("two") });
    write("one\\n");
    expect(await first).toMatchObject({ isMatched: true, output: "begun\none\n" });
    write("two\\n");
    expect(await second).toMatchObject({ isMatched: true, output: "two\n" });
    write("end");
    await end;
  });

  test("a flood of output keeps a bounded end, and says how much is missing (L14)", async () => {
    const { start, read } = bench({ outputChars: 1_000 });
    await start("c1", "head -c 30000000 /dev/zero | tr '\\0' x; echo; echo over").end;
    const report = await read("c1");
    expect(report?.output).toBe(`${"x".repeat(994)}\nover\n`);
    expect(report?.cutChars).toBe(30_000_006 - 1_000);
  });
});

describe("a wait", () => {
  test("returns at its time limit where the pattern never appears, and the command goes on", async () => {
    const clock = stillClock();
    const { start, read, tracker } = bench({ clock });
    const { printed, end } = start("c1", ECHO);
    await printed;
    await read("c1");
    let isOver = false;
    const report = read("c1", { timeoutMs: 2_000, matches: () => false });
    void report.then(() => {
      isOver = true;
    });
    await read("c1");
    clock.advance(1_999);
    await read("c1");
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await report).toMatchObject({ isMatched: false });
    expect(clock.pending).toBe(0);
    expect(tracker.running).toEqual(["c1"]);
    write("end");
    await end;
  });

  test("ends when its call is cancelled, and the command goes on", async () => {
    const { start, read, tracker } = bench();
    const { printed, end } = start("c1", ECHO);
    await printed;
    const cancel = new AbortController();
    const report = read("c1", { timeoutMs: LONG_MS, signal: cancel.signal });
    cancel.abort();
    expect(await report).toMatchObject({ output: "begun\n" });
    expect(await read("c1", { timeoutMs: LONG_MS, signal: cancel.signal })).toMatchObject({ output: "" });
    expect(tracker.running).toEqual(["c1"]);
    write("end");
    await end;
  });
});

describe("a command that is stopped", () => {
  test("ends with its whole process tree, though a child ignores SIGTERM", async () => {
    const { start, tracker } = bench();
    const deaf = `sh -c 'trap "" TERM; echo $$ > child; echo up; while :; do sleep 1000; done' & wait`;
    const run = start("c1", deaf);
    await run.printed;
    const child = await childOf();
    const report = await tracker.stop("c1", never);
    expect(report).toMatchObject({ output: "up\n", end: { signal: "SIGTERM", timedOut: false } });
    expect([isAlive(child), isAlive(await run.pid)]).toEqual([false, false]);
  });

  test("ends with a child that has become a daemon", async () => {
    const { start, tracker } = bench();
    const daemon = "setsid sh -c 'echo $$ > child; exec sleep 1000' > /dev/null 2>&1 < /dev/null &";
    const run = start("c1", `${daemon} while ! [ -s child ]; do :; done; echo begun; sleep 1000`);
    await run.printed;
    const child = await childOf();
    expect(isAlive(child)).toBe(true);
    await tracker.stop("c1", never);
    expect(isAlive(child)).toBe(false);
  });

  test("that has ended stays ended", async () => {
    const { start, tracker } = bench();
    await start("c1", "echo once").end;
    expect(await tracker.stop("c1", never)).toMatchObject({ output: "once\n", end: { exitCode: 0 } });
    expect(await tracker.stop("c1", never)).toMatchObject({ output: "", end: { exitCode: 0 } });
  });
});

test("a command that ended and left a process says so", async () => {
  const { start, read, shell } = bench();
  await start("c1", "setsid sh -c 'echo $$ > child; exec sleep 1000' & while ! [ -s child ]; do :; done").end;
  expect(await read("c1")).toMatchObject({ end: { exitCode: 0, leavesProcess: true } });
  expect(isAlive(await childOf())).toBe(true);
  shell.close();
});

test("an unknown id is not a command, nor is one that did not start or ended too long ago (L14)", async () => {
  const { start, read, tracker } = bench({ endedCommands: 2 });
  for (const id of ["", "__proto__", "constructor", "c1"]) expect(await read(id)).toBeUndefined();
  expect(await tracker.stop("c1", never)).toBeUndefined();
  await expect(start("c1", "true", path.join(folder, "none")).end).rejects.toThrow("does not exist");
  expect(await read("c1")).toBeUndefined();
  for (const id of ["c1", "c2", "c3"]) await start(id, `echo ${id}`).end;
  expect(await read("c1")).toBeUndefined();
  expect([await read("c2"), await read("c3")]).toMatchObject([{ output: "c2\n" }, { output: "c3\n" }]);
});
