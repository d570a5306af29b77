import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type Checkpoints,
  type CheckpointsOptions,
  openCheckpoints,
} from "../../../adapters/checkpoints/checkpoints.ts";
import type { CheckpointFailure } from "../../../adapters/checkpoints/error.ts";

export interface Folders {
  readonly workspace: string;
  readonly dataDir: string;
  remove(): void;
}

/** Creates a workspace and a data directory for one test. */
export function createFolders(): Folders {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), "signalbox-checkpoint-")));
  const workspace = path.join(top, "work");
  mkdirSync(workspace);
  return {
    workspace,
    dataDir: path.join(top, "data"),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

export async function checkpointsOf(
  { workspace, dataDir }: Folders,
  options: Partial<CheckpointsOptions> = {},
): Promise<Checkpoints> {
  const opened = await openCheckpoints({ workspace, dataDir, ...options });
  if ("off" in opened) throw new Error(opened.off);
  return opened;
}

/** Returns a result that is not a failure. */
export function done<T extends { readonly ok: true }>(result: T | CheckpointFailure): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.reason}`);
  return result;
}

/** Writes a file, with its folders. */
export function put(workspace: string, file: string, content: string | Buffer, mode?: number): void {
  mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
  writeFileSync(path.join(workspace, file), content, { mode });
}

/** All files of a folder, with their mode and content. */
export function treeOf(
  folder: string,
  skip: (relative: string) => boolean = () => false,
): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (relative: string): void => {
    for (const name of readdirSync(path.join(folder, relative)).sort()) {
      const each = relative === "" ? name : `${relative}/${name}`;
      if (skip(each)) continue;
      if (lstatSync(path.join(folder, each)).isDirectory()) walk(each);
      else found[each] = contentOf(path.join(folder, each));
    }
  };
  walk("");
  return found;
}

function contentOf(file: string): string {
  const stat = lstatSync(file);
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(file)}`;
  if (!stat.isFile()) return "special";
  const digest = createHash("sha1").update(readFileSync(file)).digest("hex");
  return `${stat.mode & 0o100 ? "x" : "-"} ${digest}`;
}
