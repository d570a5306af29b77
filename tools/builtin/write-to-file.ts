import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { changeOf } from "../diff/unified.ts";
import { ToolError } from "../error.ts";
import type { DescribePorts, Workspace, WriteResult } from "../ports.ts";
import { decodeText } from "../text.ts";
import type { Description } from "../tool.ts";

const input = z.object({
  path: z.string().min(1).describe("The file, relative to the workspace. Missing folders are made."),
  content: z.string().describe("The complete content of the file."),
});

/** Writes a whole file. */
export const writeToFile = defineTool({
  name: "write_to_file",
  displayName: "Write file",
  aliases: ["write_file"],
  group: "edit",
  effect: "writes",
  description:
    "Writes a file of the workspace: makes it, or replaces its whole content. Send the complete content, nothing left out.",
  input,
  partial: (raw) => {
    const path = textOf(raw, "path");
    if (path === undefined) return undefined;
    const fields = { tool: "newFileCreated", path, content: textOf(raw, "content") };
    return boundedDescriptor(fields, PARTIAL_MAX_BYTES);
  },
  files: ({ path }) => [path],
  describe,
  run: async ({ path, content }, { workspace }) => {
    const written = await workspace.write(path, content);
    return writeResult(path, written.created ? "created" : "modified", written);
  },
});

async function describe(
  { path, content }: z.output<typeof input>,
  { workspace }: DescribePorts,
): Promise<Description> {
  const named = await workspace.resolve(path);
  // A file outside is never read; the review rejects the call by `paths`.
  const before = named.inside && !named.ignored ? await readText(workspace, path) : { kind: "none" as const };
  const fields = { path: named.path, isOutsideWorkspace: !named.inside };
  if (before.kind === "none") {
    const { diff, stats: diffStats } = changeOf(path, "", content);
    return {
      text: boundedDescriptor({ tool: "newFileCreated", ...fields, content, diffStats }),
      paths: [named],
      diff,
    };
  }
  const change =
    before.kind === "text"
      ? changeOf(path, before.text, content)
      : { diff: "[A binary file is replaced.]", stats: changeOf(path, "", content).stats };
  return {
    text: boundedDescriptor({
      tool: "editedExistingFile",
      ...fields,
      content: change.diff,
      diffStats: change.stats,
    }),
    paths: [named],
    diff: change.diff,
  };
}

type Before = { readonly kind: "none" | "binary" } | { readonly kind: "text"; readonly text: string };

async function readText(workspace: Workspace, path: string): Promise<Before> {
  try {
    const text = decodeText(await workspace.read(path));
    return text === undefined ? { kind: "binary" } : { kind: "text", text };
  } catch (error) {
    if (error instanceof ToolError && error.code === "not_found") return { kind: "none" };
    if (error instanceof ToolError && error.code === "too_large") return { kind: "binary" };
    throw error;
  }
}

/** The tool result of a written file. */
export function writeResult(
  path: string,
  operation: "created" | "modified",
  { changed = false }: Pick<WriteResult, "changed">,
): string {
  return JSON.stringify({ path, operation, notice: changed ? CHANGED : EXACT });
}

const EXACT = "The file has exactly the content that was sent: there is no need to read it again.";
const CHANGED =
  "The editor changed the content when it saved the file, for example by formatting: read the file before you edit it.";
