import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { changeOf } from "../diff/unified.ts";
import type { DescribePorts } from "../ports.ts";
import type { Description } from "../tool.ts";
import { editedFile, fileProposal } from "./edited-file.ts";
import { readBefore } from "./file-before.ts";
import { writeResult } from "./write-result.ts";

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
  amend: ({ path, content }, amendment) => editedFile({ path, proposed: () => content }, amendment),
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
  const before = named.inside && !named.ignored ? await readBefore(workspace, path) : undefined;
  const fields = { path: named.path, isOutsideWorkspace: !named.inside };
  const proposal = before && fileProposal(named.path, before, content);
  if (before === undefined || before.kind === "none") {
    const { diff, stats: diffStats } = changeOf(path, "", content);
    return {
      text: boundedDescriptor({ tool: "newFileCreated", ...fields, content, diffStats }),
      paths: [named],
      diff,
      ...proposal,
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
    ...proposal,
  };
}
