import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";

/** A file of the page. */
export interface PageFile {
  readonly bytes: Uint8Array;
  readonly type: string;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json; charset=utf-8"],
  [".map", "application/json; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".ico", "image/x-icon"],
  [".woff2", "font/woff2"],
  [".txt", "text/plain; charset=utf-8"],
]);

/** A path segment: no parent folder, no hidden file. */
const NAME = /^[A-Za-z0-9_@-][A-Za-z0-9._@-]*$/;

/** Read the page's file for a URL path; undefined if there is none. Links out of the folder are not followed. */
export async function readPageFile(folder: string, pathname: string): Promise<PageFile | undefined> {
  const names = pathname === "/" ? ["index.html"] : pathname.slice(1).split("/");
  const type = TYPES.get(path.extname(names.at(-1) ?? ""));
  if (type === undefined || !names.every((name) => NAME.test(name))) return undefined;
  try {
    const root = await realpath(folder);
    const file = await realpath(path.join(root, ...names));
    if (!file.startsWith(root + path.sep)) return undefined;
    return { bytes: await readFile(file), type };
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR"].includes(systemCode(error))) return undefined;
    throw error;
  }
}
