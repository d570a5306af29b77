import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Trace } from "./traces.ts";

/** What a folder of traces differs in from what the machine does now, by the names of its files. */
export interface TraceChanges {
  /** They say something else. */
  readonly changed: readonly string[];
  /** They are not in the folder. */
  readonly added: readonly string[];
  /** They are in the folder, and nothing makes them any longer. */
  readonly orphans: readonly string[];
}

const committedIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((file) => file.endsWith(".txt")).sort();

/** The traces of a folder that nothing makes. */
export async function orphansIn(folder: string, traces: readonly Trace[]): Promise<readonly string[]> {
  const made = new Set(traces.map(({ file }) => file));
  return (await committedIn(folder)).filter((file) => !made.has(file));
}

/** Compares a folder with its traces; with `write`, also makes it what they say. */
export async function compareTraces(
  folder: string,
  traces: readonly Trace[],
  { write }: { readonly write: boolean },
): Promise<TraceChanges> {
  const committed = new Set(await committedIn(folder));
  const changed: string[] = [];
  const added: string[] = [];
  for (const { file, text } of traces) {
    const place = path.join(folder, file);
    const now = text();
    if (!committed.has(file)) added.push(file);
    else if ((await readFile(place, "utf8")) !== now) changed.push(file);
    else continue;
    if (write) await writeFile(place, now);
  }
  const orphans = await orphansIn(folder, traces);
  if (write) await Promise.all(orphans.map((file) => rm(path.join(folder, file))));
  return { changed, added, orphans };
}

/** The changes as lines for people; one line that says so where there is none. */
export function traceChangesText({ changed, added, orphans }: TraceChanges): string {
  const lines = [
    ...changed.map((file) => `changed         ${file}`),
    ...added.map((file) => `new             ${file}`),
    ...orphans.map((file) => `made no longer  ${file}`),
  ];
  return `${(lines.length === 0 ? ["The traces are what the machine does."] : lines).join("\n")}\n`;
}
