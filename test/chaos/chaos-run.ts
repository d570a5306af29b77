import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { node24 } from "../../bench/harness/node24.ts";
import { program } from "../support/program.ts";
import { check, type Violation } from "./checker/check.ts";
import { type History, readHistory } from "./checker/history.ts";
import { RunFigures, type RunInput } from "./run/run-input.ts";

/** The size of a run. */
export type RunSize = Pick<RunInput, "seed" | "tasks" | "workers" | "servers" | "seconds" | "healSeconds">;

/** A run that has ended, and what the checker found. */
export interface CheckedRun {
  readonly history: History;
  readonly figures: RunFigures;
  readonly violations: readonly Violation[];
}

/**
 * Run tasks with faults in processes of their own, and check the history. `keep`: the folder for the history and the errors of the
 * processes, which stays.
 *
 * @throws Error if the run ends early
 */
export async function runChaos(
  size: RunSize,
  { keep }: { readonly keep?: string } = {},
): Promise<CheckedRun> {
  const folder = keep ?? (await mkdtemp(path.join(tmpdir(), "chaos-")));
  await mkdir(folder, { recursive: true });
  const built = (file: string): Promise<string> => program(new URL(file, import.meta.url));
  const input: RunInput = {
    ...size,
    folder,
    worker: await built("./run/worker.child.ts"),
    server: await built("../../cli/bin.ts"),
    migration: await built("./run/migration.child.ts"),
  };
  const args = [await built("./run/run.child.ts"), JSON.stringify(input)];
  const child = spawn(await node24(), args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  try {
    let url = "";
    for await (const part of child.stdout.setEncoding("utf8")) {
      url += part;
      if (url.endsWith("\n")) break;
    }
    if (!url.endsWith("\n")) throw new Error("Expected a run that prints the URL of its database.");
    const history = await readHistory(folder, url.trim());
    const figures = RunFigures.parse(JSON.parse(await readFile(path.join(folder, "figures.json"), "utf8")));
    return { history, figures, violations: check(history) };
  } finally {
    child.stdin.end();
    await exited;
    if (keep === undefined) await rm(folder, { recursive: true, force: true });
  }
}
