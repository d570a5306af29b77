import type { Workspace } from "../../ports/workspace.ts";
import { formatError, ToolError } from "../error.ts";
import { NO_FILE } from "../file-version.ts";
import { encodingIn } from "./file-before.ts";
import type { PatchedFile } from "./patch-plan.ts";
import { writeResult } from "./write-result.ts";

/** One change of the workspace. */
interface Change {
  /** For the model, such as `write 'a.ts'`. */
  readonly what: string;
  /** Returns the line of the result. */
  readonly apply: (workspace: Workspace) => Promise<string>;
}

/**
 * Apply the changes of a patch, one after the other: all writes, then all removals, so that no text is lost between them.
 *
 * @throws ToolError with what was done, and what was not
 */
export async function applyChanges(files: readonly PatchedFile[], workspace: Workspace): Promise<string> {
  const changes = [...files.flatMap(writeOf), ...files.flatMap(removalOf)];
  const results: string[] = [];
  for (const [index, { apply }] of changes.entries()) {
    try {
      results.push(await apply(workspace));
    } catch (error) {
      throw partlyDone(changes, index, error);
    }
  }
  return results.join("\n");
}

function writeOf({ patch, before, after }: PatchedFile): readonly Change[] {
  if (patch.kind === "delete") return [];
  const { path } = patch;
  const target = patch.kind === "update" ? (patch.movesTo ?? path) : path;
  const encoding = encodingIn(before);
  const options =
    target === path ? { expects: before.version, encoding } : { expects: NO_FILE, encoding, modeOf: path };
  const apply = async (workspace: Workspace): Promise<string> =>
    writeResult(target, await workspace.write(target, after, options));
  return [{ what: `write '${target}'`, apply }];
}

function removalOf({ patch, before }: PatchedFile): readonly Change[] {
  const { kind, path } = patch;
  if (kind === "add" || (kind === "update" && patch.movesTo === undefined)) return [];
  const apply = async (workspace: Workspace): Promise<string> => {
    await workspace.remove(path, { expects: before.version });
    return JSON.stringify({ path, operation: "deleted" });
  };
  return [{ what: `delete '${path}'`, apply }];
}

function partlyDone(changes: readonly Change[], failed: number, error: unknown): unknown {
  if (failed === 0) return error;
  const list = (some: readonly Change[]): string => some.map(({ what }) => what).join(", ");
  return new ToolError(
    error instanceof ToolError ? error.code : "FAILED",
    `The patch was applied only in part. Done: ${list(changes.slice(0, failed))}. Not done: ${list(changes.slice(failed))}. ${formatError(error)}`,
    { cause: error },
  );
}
