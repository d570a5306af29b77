import path from "node:path";
import type { FileWrite, GitHead } from "../machines/tool-call/file-write.ts";
import type { Shell } from "../ports/shell.ts";
import type { Workspace } from "../ports/workspace.ts";
import { type FileContent, fileWrite, hashOf } from "./changed-file.ts";
import { ToolError } from "./error.ts";
import { recordCommands } from "./recorded-commands.ts";
import { encodeText } from "./text-encoding.ts";
import type { WriteRecording } from "./write-recording.ts";

/** The ports of one call, and what the call changed by them so far. */
export interface RecordedWrites {
  readonly workspace: Workspace;
  readonly shell: Shell;
  /** In the order in which they were written; the writes of a command in the order of their paths. */
  readonly writes: readonly FileWrite[];
}

/** Record what one call writes and removes, and what its commands change. Reads of the workspace are not changed. */
export function recordWrites(
  { workspace, shell }: Pick<RecordedWrites, "workspace" | "shell">,
  recording: WriteRecording,
): RecordedWrites {
  const writes: FileWrite[] = [];
  const { concurrent } = recording;
  let head: Promise<GitHead | undefined> | undefined;
  const recorded = async <T>(
    named: string,
    planned: FileContent,
    change: () => Promise<T>,
    contentAfter: (result: T) => Promise<FileContent>,
  ): Promise<T> => {
    if (!(await recording.isOn())) return change();
    head ??= recording.gitHead();
    const [git, before, { real }] = await Promise.all([
      head,
      contentOf(workspace, named),
      workspace.resolve(named, { exact: true }),
    ]);
    const name = path.relative(workspace.root, real).split(path.sep).join("/");
    // A command that ends before this call must not take the change for its own.
    concurrent.note(name, hashOf(planned));
    const result = await change();
    const write = fileWrite({ path: name, before, after: await contentAfter(result) }, git);
    concurrent.note(name, write.after);
    writes.push(write);
    return result;
  };
  return {
    writes,
    shell: recordCommands(shell, recording, (write) => writes.push(write)),
    workspace: {
      root: workspace.root,
      resolve: (named, options) => workspace.resolve(named, options),
      mayIgnore: (glob) => workspace.mayIgnore(glob),
      read: (named, options) => workspace.read(named, options),
      write: (named, content, options) => {
        const bytes =
          typeof content === "string" ? encodeText(content, options?.encoding ?? "utf-8") : content;
        return recorded(
          named,
          bytes,
          () => workspace.write(named, content, options),
          async ({ changed = false }) => (changed ? contentOf(workspace, named) : bytes),
        );
      },
      remove: (named, options) =>
        recorded(
          named,
          null,
          () => workspace.remove(named, options),
          async () => null,
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

async function contentOf(workspace: Workspace, named: string): Promise<FileContent> {
  try {
    return await workspace.read(named, { exact: true });
  } catch (error) {
    // The change itself reports what is wrong with the path.
    return error instanceof ToolError && error.code === "NOT_FOUND" ? null : "unknown";
  }
}
