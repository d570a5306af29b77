import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import type { Order, Point } from "./child-input.ts";
import { journalIn, recordsOf, wholeLines } from "./records.ts";
import { type Recovery, recover } from "./recovery.ts";
import { CHILD_ID, SCRIPT, TASK_ID } from "./scenario.ts";
import { hostIn, journalFolder, placeIn } from "./scenario-run.ts";

const script = parseScript(SCRIPT);

/** The program of the processes that are killed. */
export const CHILD = new URL("./scenario.child.ts", import.meta.url);

/** The crash points of one task, in order. The later ones are reached while it is reopened, or after that. */
export interface Trial {
  readonly kind: string;
  readonly points: readonly Point[];
}

/** The result of a trial. */
export interface Outcome extends Recovery {
  readonly trial: Trial;
  /** How many processes killed themselves. */
  readonly kills: number;
}

/** Run a trial in a new folder, each crash in a new process; recover the task in this process. */
export async function run(program: string, trial: Trial, hooks = false): Promise<Outcome> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-crash-"));
  const mock = await startMock(script);
  try {
    const place = await placeIn(folder, mock.url, hooks);
    const dir = journalFolder(place, TASK_ID);
    let kills = 0;
    for (const at of trial.points) {
      const records = recordsOf(await journalIn(dir));
      const killed = await runProcess(program, { place, at, reopen: records.length > 1 });
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
  broken: [`the recovery failed: ${error instanceof Error ? error.stack : String(error)}`],
  from: "unknown",
  uncertain: 0,
});

/** The lengths of all lines in bytes, without the newline, by task, from a run without a crash. */
export type Lengths = ReadonlyMap<string, readonly number[]>;

export async function lengthsOf(program: string, hooks = false): Promise<Lengths> {
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-crash-"));
  const mock = await startMock(script);
  try {
    const place = await placeIn(folder, mock.url, hooks);
    await runProcess(program, { place, reopen: false });
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

/** Run one process. False if it ended before its crash point. */
async function runProcess(program: string, order: Order): Promise<boolean> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [errors, [code, signal]] = await Promise.all([text(child.stderr), once(child, "close")]);
  if (signal === "SIGKILL") return true;
  if (code === 0) return false;
  throw new Error(`The process ended with ${code ?? signal}:\n${errors}`);
}
