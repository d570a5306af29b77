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
  type Refused,
} from "../../../adapters/checkpoints/index.ts";

export interface Place {
  readonly workspace: string;
  readonly dataDir: string;
  remove(): void;
}

/** A workspace and a data folder of a test's own. */
export function place(): Place {
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
  { workspace, dataDir }: Place,
  options: Partial<CheckpointsOptions> = {},
): Promise<Checkpoints> {
  const opened = await openCheckpoints({ workspace, dataDir, ...options });
  if ("off" in opened) throw new Error(opened.off);
  return opened;
}

/** Gives what a call gave, where it worked. */
export function done<T extends { readonly ok: true }>(result: T | Refused): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.reason}`);
  return result;
}

/** Writes a file, with its folders. */
export function put(workspace: string, file: string, content: string | Buffer, mode?: number): void {
  mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true });
  writeFileSync(path.join(workspace, file), content, { mode });
}

/** All files of a folder: what they are and hold. Folders count by what is in them. */
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
