import { mkdirSync, rmdirSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import { type Access, exists } from "./accesses.ts";

/** The number of commands that need each placeholder. */
const needed = new Map<string, number>();

/** Empty folders that exist as long as commands need them. */
export interface Placeholders {
  /** The accesses. A missing file is replaced by its placeholder. */
  readonly accesses: readonly Access[];
  /** Remove those that no other command needs. */
  remove(): void;
}

/**
 * Create an empty folder where a file is missing that commands must not create: only an existing path can be mounted. It is
 * created in place of the first missing part of the path.
 */
export function createPlaceholders(accesses: readonly Access[]): Placeholders {
  const used: string[] = [];
  const place = (access: Access): Access => {
    const at = placeholderOf(access.path);
    if (at === undefined) return access;
    if (!needed.has(at)) mkdirSync(at);
    needed.set(at, (needed.get(at) ?? 0) + 1);
    used.push(at);
    return { ...access, path: at };
  };
  return { accesses: accesses.map(place), remove: () => used.splice(0).forEach(release) };
}

/** The first part of a path that is missing, or that is a placeholder. */
function placeholderOf(file: string): string | undefined {
  const folder = path.dirname(file);
  const above = folder === file ? undefined : placeholderOf(folder);
  return above ?? (needed.has(file) || !exists({ path: file }) ? file : undefined);
}

function release(folder: string): void {
  const others = (needed.get(folder) ?? 1) - 1;
  if (others > 0) needed.set(folder, others);
  else {
    needed.delete(folder);
    removeEmpty(folder);
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    // Another program has put something in it, or removed it.
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(systemCode(error))) throw error;
  }
}
