import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Trace } from "./traces.ts";

/** The differences between a folder of traces and the current behavior, by file name. */
export interface TraceChanges {
  /** Files with another text. */
  readonly changed: readonly string[];
  /** Files missing in the folder. */
  readonly added: readonly string[];
  /** Files that no trace generates. */
  readonly orphans: readonly string[];
}

const committedIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((file) => file.endsWith(".txt")).sort();

/** The files of a folder that no trace generates. */
export async function orphansIn(folder: string, traces: readonly Trace[]): Promise<readonly string[]> {
  const generated = new Set(traces.map(({ file }) => file));
  return (await committedIn(folder)).filter((file) => !generated.has(file));
}

/** Compare a folder with its traces; with `write`, also update it. */
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

/** Format the changes. */
export function formatTraceChanges({ changed, added, orphans }: TraceChanges): string {
  const lines = [
    ...changed.map((file) => `changed         ${file}`),
    ...added.map((file) => `new             ${file}`),
    ...orphans.map((file) => `orphaned        ${file}`),
  ];
  return `${(lines.length === 0 ? ["The traces are up to date."] : lines).join("\n")}\n`;
}
