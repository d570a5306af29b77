import path from "node:path";
import type { FileHash, FileWrite, GitHead } from "../machines/tool-call/index.ts";
import { lineChanges } from "./diff/line-changes.ts";
import { ToolError } from "./error.ts";
import { fileVersion } from "./file-version.ts";
import type { Workspace } from "./ports.ts";
import { decodeText } from "./text.ts";

/** Whether and how the writes of tools are recorded. */
export interface WriteRecording {
  /** Whether the workspace has a ledger now. */
  isOn(): Promise<boolean>;
  /** What git has checked out; undefined outside a repository. Never rejects. */
  gitHead(): Promise<GitHead | undefined>;
}

/** The workspace of one call, and what the call changed in it so far. */
export interface RecordedWrites {
  readonly workspace: Workspace;
  /** In the order in which they were written. */
  readonly writes: readonly FileWrite[];
}

/** Record what one call writes and removes, whichever tool it is of. Reads of the workspace are not changed. */
export function recordWrites(workspace: Workspace, recording: WriteRecording): RecordedWrites {
  const writes: FileWrite[] = [];
  let head: Promise<GitHead | undefined> | undefined;
  const recorded = async <T>(
    named: string,
    change: () => Promise<T>,
    contentAfter: (result: T) => Promise<Content>,
  ): Promise<T> => {
    if (!(await recording.isOn())) return change();
    head ??= recording.gitHead();
    const [git, before, { real }] = await Promise.all([
      head,
      contentOf(workspace, named),
      workspace.resolve(named),
    ]);
    const result = await change();
    const name = path.relative(workspace.root, real).split(path.sep).join("/");
    writes.push(fileWrite(name, before, await contentAfter(result), git));
    return result;
  };
  return {
    writes,
    workspace: {
      root: workspace.root,
      resolve: (named) => workspace.resolve(named),
      mayIgnore: (glob) => workspace.mayIgnore(glob),
      read: (named) => workspace.read(named),
      write: (named, content, options) =>
        recorded(
          named,
          () => workspace.write(named, content, options),
          async ({ changed = false }) =>
            changed ? contentOf(workspace, named) : { kind: "read", bytes: Buffer.from(content) },
        ),
      remove: (named, options) =>
        recorded(
          named,
          () => workspace.remove(named, options),
          async () => ({ kind: "none" }),
        ),
      assertChangeable: (named, change) => workspace.assertChangeable(named, change),
      changeTimes: (paths) => workspace.changeTimes(paths),
      list: (folder, options) => workspace.list(folder, options),
      glob: (options) => workspace.glob(options),
      projectRules: () => workspace.projectRules(),
      search: (options) => workspace.search(options),
    },
  };
}

type Content =
  | { readonly kind: "none" }
  /** It can't be read, or is too large. */
  | { readonly kind: "unknown" }
  | { readonly kind: "read"; readonly bytes: Uint8Array };

async function contentOf(workspace: Workspace, named: string): Promise<Content> {
  try {
    return { kind: "read", bytes: await workspace.read(named) };
  } catch (error) {
    // The change itself reports what is wrong with the path.
    return { kind: error instanceof ToolError && error.code === "not_found" ? "none" : "unknown" };
  }
}

function fileWrite(name: string, before: Content, after: Content, git: GitHead | undefined): FileWrite {
  const [old, now] = [textOf(before), textOf(after)];
  return {
    path: name,
    before: hashOf(before),
    after: hashOf(after),
    ...(old !== undefined && now !== undefined && { lines: lineChanges(old, now) }),
    ...(git !== undefined && { git }),
  };
}

function hashOf(content: Content): FileHash {
  if (content.kind === "read") return fileVersion(content.bytes);
  return content.kind === "none" ? null : "unknown";
}

/** Empty without a file; undefined if it is no text. */
function textOf(content: Content): string | undefined {
  if (content.kind === "none") return "";
  return content.kind === "read" ? decodeText(content.bytes) : undefined;
}
