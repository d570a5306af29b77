import { openWorkspace } from "../../adapters/workspace/workspace.ts";
import { ToolError } from "../../tools/error.ts";

/** Maximum entries of a folder that are read for a completion. */
const ENTRIES_MAX = 2_000;

/** The paths in a folder of a workspace, without ignored ones; none if it can't be listed. */
export async function workspacePaths(workspace: string, folder: string): Promise<readonly string[]> {
  try {
    const opened = await openWorkspace(workspace);
    const listed = await opened.list(folder === "" ? "." : folder, { recursive: false, limit: ENTRIES_MAX });
    return listed.names;
  } catch (error) {
    if (error instanceof ToolError) return [];
    throw error;
  }
}
