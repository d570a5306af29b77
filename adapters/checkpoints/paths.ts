import { Buffer } from "node:buffer";
import path from "node:path";

/**
 * A file's path from the workspace on, with slashes, one letter a byte (latin1): names on disk are bytes, and
 * what is no UTF-8 must come back as it was.
 */
export type BytePath = string;

export const toBytes = (text: string): BytePath => Buffer.from(text, "utf8").toString("latin1");

/** The path as text. */
export const shown = (file: BytePath): string => Buffer.from(file, "latin1").toString("utf8");

/** Where it lies, for calls to the system. */
export function absoluteOf(workspace: string, file: BytePath): Buffer {
  return Buffer.concat([Buffer.from(workspace + path.sep, "utf8"), Buffer.from(file, "latin1")]);
}

/** The items of a list that git ends with zero bytes. */
export const zeroEnded = (list: string): string[] => list.split("\0").slice(0, -1);

export const toZeroEnded = (items: Iterable<string>): string => {
  let text = "";
  for (const item of items) text += `${item}\0`;
  return text;
};

/** The folders that a file lies in, the topmost first. */
export function foldersOf(file: BytePath): BytePath[] {
  const folders: BytePath[] = [];
  for (let at = file.indexOf("/"); at >= 0; at = file.indexOf("/", at + 1)) folders.push(file.slice(0, at));
  return folders;
}
