import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { parseScript, startMock } from "../../testing/mock/index.ts";
import type { Order, Point } from "./child-input.ts";
import { journalIn, recordsOf, wholeLines } from "./records.ts";
import { type Recovery, recover } from "./recovery.ts";
import { CHILD_ID, SCRIPT, TASK_ID } from "./scenario.ts";
import { hostIn, journalFolder, placeIn } from "./scenario-run.ts";

const script = parseScript(SCRIPT);

/** Where a task is to die, one crash after the other: the later ones while it is opened again, or after that. */
export interface Trial {
  readonly kind: string;
  readonly points: readonly Point[];
}

/** What became of it. */
export interface Outcome extends Recovery {
  readonly trial: Trial;
  /** Processes that killed themselves. */
  readonly kills: number;
}

/** Runs a trial in a folder of its own, each life in a process of its own, and recovers what is left in this one. */
export async function run(program: string, trial: Trial): Promise<Outcome> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-crash-"));
  const mock = await startMock(script);
  try {
    const place = await placeIn(folder, mock.url);
    const dir = journalFolder(place, TASK_ID);
    let kills = 0;
    for (const at of trial.points) {
      const records = recordsOf(await journalIn(dir));
      const killed = await lifeOf(program, { place, at, reopen: records.length > 1 });
      if (!killed) break;
      kills += 1;
    }
    const journal = (taskId: string) => journalIn(journalFolder(place, taskId));
    const scene = { place, mock, host: () => hostIn(place), journal };
    const recovery = await recover(scene).catch(failed);
    return { ...recovery, trial, kills };
  } finally {
    await mock.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const failed = (error: unknown): Recovery => ({
  broken: [`it was not recovered: ${error instanceof Error ? error.stack : String(error)}`],
  from: "unknown",
  uncertain: 0,
});

/** How long each line of a life without a crash is, in bytes without its end: of the task, and of its subtask. */
export type Lengths = ReadonlyMap<string, readonly number[]>;

export async function lengthsOf(program: string): Promise<Lengths> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-crash-"));
  const mock = await startMock(script);
  try {
    const place = await placeIn(folder, mock.url);
    await lifeOf(program, { place, reopen: false });
    const lengths = new Map<string, readonly number[]>();
    for (const taskId of [TASK_ID, CHILD_ID]) {
      const lines = wholeLines(await journalIn(journalFolder(place, taskId)));
      lengths.set(
        taskId,
        lines.map(({ length }) => length),
      );
    }
    return lengths;
  } finally {
    await mock.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** One life in a process. Whether it killed itself: it may also have come to its end before its point. */
async function lifeOf(program: string, order: Order): Promise<boolean> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [errors, [code, signal]] = await Promise.all([text(child.stderr), once(child, "close")]);
  if (signal === "SIGKILL") return true;
  if (code === 0) return false;
  throw new Error(`The process ended with ${code ?? signal}:\n${errors}`);
}
