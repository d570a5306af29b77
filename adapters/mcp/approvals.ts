import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { createFolder } from "../../store/files/create-folder.ts";
import { PRIVATE_FOLDER } from "../../store/files/data-folder.ts";
import { replaceFile } from "../../store/files/replace-file.ts";
import { systemCode } from "../../store/files/system-code.ts";

/** Definitions of tools that calls were approved with, by a key for each tool. */
export interface McpApprovals {
  /** The digest of the definition that was approved last. */
  get(tool: string): string | undefined;
  set(tool: string, definition: string): Promise<void>;
}

/** Approvals of this process. */
export function memoryApprovals(): McpApprovals {
  const known = new Map<string, string>();
  return {
    get: (tool) => known.get(tool),
    set: async (tool, definition) => {
      known.set(tool, definition);
    },
  };
}

const Approved = z.strictObject({ version: z.literal(1), tools: z.record(z.string(), z.string()) });

/** Tools that are kept. The one that was approved first is forgotten first. */
const APPROVED_MAX = 10_000;

/**
 * Approvals in a file, which is created with the first one. Of two processes that write at once, one counts.
 *
 * @throws Error if the file can't be read
 */
export async function fileApprovals(file: string): Promise<McpApprovals> {
  const known = new Map(Object.entries(await readApproved(file)));
  return {
    get: (tool) => known.get(tool),
    async set(tool, definition) {
      if (known.get(tool) === definition) return;
      known.delete(tool);
      known.set(tool, definition);
      const tools = Object.fromEntries([...known].slice(-APPROVED_MAX));
      createFolder(path.dirname(file), PRIVATE_FOLDER);
      await replaceFile(file, `${JSON.stringify({ version: 1, tools }, undefined, 2)}\n`);
    },
  };
}

async function readApproved(file: string): Promise<z.infer<typeof Approved>["tools"]> {
  try {
    return Approved.parse(JSON.parse(await readFile(file, "utf8"))).tools;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return {};
    throw new Error(`${file}: expected the approvals of tools. Remove the file.`, { cause: error });
  }
}
