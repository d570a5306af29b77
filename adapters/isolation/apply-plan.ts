import { chmod } from "node:fs/promises";
import path from "node:path";
import type { Workspace } from "../../ports/workspace.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { strictestCheck } from "../workspace/confinement.ts";
import { openInside } from "../workspace/open-path.ts";
import type { PlannedChange } from "./merge-plan.ts";
import { applyLink } from "./symlinks.ts";

/** The bits that permit execution to those who may read. */
const executableMode = (mode: number): number => mode | ((mode & 0o444) >> 2);
const plainMode = (mode: number): number => mode & ~0o111;

/**
 * Check that all changes can be made, then make them, each only if its file has the expected version.
 *
 * @throws ToolError the codes of `Workspace.write`; if some changes were made before the error, the message names them, and
 * the same merge can be repeated
 */
export async function applyPlan(changes: readonly PlannedChange[], workspace: Workspace): Promise<void> {
  for (const change of changes)
    if (change.kind === "link") await assertLinkChangeable(change.path, workspace);
    else await assertChangeable(change.kind, change.path, workspace);
  for (const [index, change] of changes.entries()) {
    try {
      await applyOne(change, workspace);
    } catch (error) {
      throw index === 0 ? error : partlyDone(changes, index, error);
    }
  }
}

async function assertChangeable(kind: "write" | "remove", name: string, workspace: Workspace): Promise<void> {
  const { inside, ignored } = await workspace.resolve(name, { exact: true });
  if (!inside) throw outside(name);
  if (ignored) throw blocked(name);
  await workspace.assertChangeable(name, kind);
}

/** The link itself is changed, not its target. */
async function assertLinkChangeable(name: string, workspace: Workspace): Promise<void> {
  const folder = await workspace.resolve(path.posix.dirname(name), { exact: true });
  if (!folder.inside) throw outside(name);
  const { ignored } = await workspace.resolve(name, { exact: true });
  if (ignored) throw blocked(name);
}

const outside = (name: string): ToolError =>
  new ToolError("OUTSIDE_WORKSPACE", `'${name}' is outside of the workspace: expected a file in it.`);

const blocked = (name: string): ToolError =>
  new ToolError("IGNORED", `Access to '${name}' is blocked by .rooignore. Nothing was merged.`);

async function applyOne(change: PlannedChange, workspace: Workspace): Promise<void> {
  const { path: name, expects } = change;
  if (change.kind === "link") return applyLink(change, workspace);
  if (change.kind === "remove") return workspace.remove(name, { expects });
  if (change.bytes !== undefined) await workspace.write(name, change.bytes, { expects });
  await setExecutable(name, change.isExecutable, workspace);
}

async function setExecutable(name: string, isExecutable: boolean, { root }: Workspace): Promise<void> {
  await using file = await openInside({ root, check: await strictestCheck() }, path.join(root, name), name);
  const { mode } = await file.handle.stat();
  const wanted = isExecutable ? executableMode(mode) : plainMode(mode);
  if (wanted !== mode) await chmod(file.via, wanted & 0o7777);
}

function partlyDone(changes: readonly PlannedChange[], failed: number, error: unknown): ToolError {
  const names = (some: readonly PlannedChange[]): string => some.map((change) => change.path).join(", ");
  return new ToolError(
    error instanceof ToolError ? error.code : "FAILED",
    `The merge was done only in part. Done: ${names(changes.slice(0, failed))}. Not done: ${names(changes.slice(failed))}. The files of the subtask stay: merge again. ${formatError(error)}`,
    { cause: error },
  );
}
