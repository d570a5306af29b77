import { Buffer } from "node:buffer";
import path from "node:path";

/**
 * A file's path relative to the workspace, with slashes, one character per byte (latin1): names on disk are bytes,
 * and those that are not UTF-8 must be kept as well.
 */
export type BytePath = string;

export const toBytePath = (text: string): BytePath => Buffer.from(text, "utf8").toString("latin1");

export const toText = (file: BytePath): string => Buffer.from(file, "latin1").toString("utf8");

/** The absolute path of a file, for system calls. */
export function absoluteOf(workspace: string, file: BytePath): Buffer {
  return Buffer.concat([Buffer.from(workspace + path.sep, "utf8"), Buffer.from(file, "latin1")]);
}

/** Parses a NUL-terminated list. */
export const parseNul = (list: string): string[] => list.split("\0").slice(0, -1);

export const formatNul = (items: readonly string[]): string => items.map((item) => `${item}\0`).join("");

/** The folders that contain a file, the topmost first. */
export function foldersOf(file: BytePath): BytePath[] {
  const folders: BytePath[] = [];
  for (let at = file.indexOf("/"); at >= 0; at = file.indexOf("/", at + 1)) folders.push(file.slice(0, at));
  return folders;
}
