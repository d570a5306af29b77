import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../../tools/error.ts";
import { isExecutable } from "../shell/executable-file.ts";
import { type Access, accessTo, realPath } from "./accesses.ts";
import { PROBE } from "./bubblewrap.ts";
import { SandboxError } from "./error.ts";

/** The programs that have created a sandbox in this process. */
const working = new Set<string>();

/**
 * The path of a Bubblewrap that works. One in a folder that commands can write is not used.
 *
 * @throws SandboxError `SANDBOX_MISSING`
 */
export async function findBubblewrap(accesses: readonly Access[] = []): Promise<string> {
  const found = await firstIn(
    process.env.PATH ?? "",
    (file) => accessTo(accesses, realPath(file)) !== "write",
  );
  if (found === undefined) throw missing("there is no program `bwrap` in the search path");
  if (working.has(found)) return found;
  try {
    await promisify(execFile)("/bin/sh", ["-c", 'exec "$0" "$@" 3< /', found, ...PROBE, "true"]);
  } catch (cause) {
    throw missing(messageOf(cause).trim(), cause);
  }
  working.add(found);
  return found;
}

async function firstIn(searchPath: string, isUsable: (file: string) => boolean): Promise<string | undefined> {
  const files = searchPath
    .split(path.delimiter)
    .filter(path.isAbsolute)
    .map((folder) => path.join(folder, "bwrap"));
  for (const file of files) if (isUsable(file) && (await isExecutable(file))) return file;
  return undefined;
}

const missing = (but: string, cause?: unknown): SandboxError =>
  new SandboxError(
    "SANDBOX_MISSING",
    `Expected a current Bubblewrap (\`bwrap\`, for Linux) and the right to create namespaces, but: ${but}. Install the package bubblewrap, or run without a sandbox.`,
    { cause },
  );
