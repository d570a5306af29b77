import path from "node:path";
import type { RepositoryPort, RepositoryRead } from "../../ports/repository.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { ToolError } from "../../tools/error.ts";
import { diffSections } from "./diff-sections.ts";
import { DIFF_OPTIONS, filterSettings, type GitCall, type GitOutput, runGit } from "./git-process.ts";

export interface RepositoryOptions {
  /** The environment of git. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a git command in the workspace. */
type Run = (...args: readonly string[]) => Promise<GitOutput>;

/**
 * The git repository that a workspace is in. It reads files of the workspace only, and leaves out those that `.rooignore`
 * denies and those behind a symlink. No hook, filter, external diff or pager runs.
 */
export function gitRepository(
  workspace: Pick<Workspace, "root" | "resolve">,
  { env = process.env }: RepositoryOptions = {},
): RepositoryPort {
  const { root } = workspace;
  const isShown = async (name: string): Promise<boolean> => {
    const { real, inside, ignored } = await workspace.resolve(name);
    // The rules apply to real paths; a path that leads through a symlink now may have been another one.
    return inside && !ignored && real === path.resolve(root, name);
  };
  const open = async (read: RepositoryRead): Promise<Run> => {
    const call: GitCall = { ...read, cwd: root, env };
    await runGit(["rev-parse", "--is-inside-work-tree"], call);
    const settings = await filterSettings(call);
    return (...args) => runGit([...settings, ...args], call);
  };
  return {
    async changes(read) {
      const run = await open(read);
      const status = await statusOf(run, isShown);
      if (status === "") return "No changes.";
      const head = await run("rev-parse", "--verify", "--quiet", "HEAD").catch(() => undefined);
      read.signal.throwIfAborted();
      if (head === undefined) return `${status}\n\n(The repository has no commit: there is no diff.)`;
      return `${status}\n\n${await shownDiff(await run("diff", ...DIFF_OPTIONS, "HEAD", "--", "."), isShown)}`;
    },
    async commit(named, read) {
      const run = await open(read);
      const found = await run("rev-parse", "--verify", "--quiet", `${named}^{commit}`).catch(() => undefined);
      read.signal.throwIfAborted();
      const hash = found?.out.trim();
      if (hash === undefined)
        throw new ToolError("NOT_FOUND", `The repository has no commit ${named}: expected its hash.`);
      const format = "--format=commit %H%nAuthor: %an <%ae>%nDate: %aI%n%n%B";
      const message = await run("show", "--no-patch", "--no-notes", "--no-color", format, hash);
      const show = ["show", "-m", "--first-parent", "--format=", ...DIFF_OPTIONS];
      const stat = await statOf(await run(...show, "--numstat", "-z", hash, "--", "."), isShown);
      const diff = await shownDiff(await run(...show, "--patch", hash, "--", "."), isShown);
      return [message.out.trimEnd(), stat, diff].join("\n\n");
    },
  };
}

type IsShown = (name: string) => Promise<boolean>;

/** Records that end in NUL. The last one may be cut. */
function recordsOf({ out, cut }: GitOutput): { readonly records: readonly string[]; readonly cut: boolean } {
  return { records: out.split("\0").slice(0, -1), cut };
}

/** `git status --short`, with paths relative to the workspace. */
async function statusOf(run: Run, isShown: IsShown): Promise<string> {
  const prefix = (await run("rev-parse", "--show-prefix")).out.replace(/\n$/, "");
  const options = [
    "--porcelain=v1",
    "-z",
    "--no-renames",
    "--untracked-files=normal",
    "--ignore-submodules=dirty",
  ];
  return list(recordsOf(await run("status", ...options, "--", ".")), isShown, (record) => {
    const name = record.slice("XY ".length + prefix.length);
    return { name, line: `${record.slice(0, "XY ".length)}${name || "./"}` };
  });
}

/** Added and deleted lines of each file. */
function statOf(output: GitOutput, isShown: IsShown): Promise<string> {
  return list(recordsOf(output), isShown, (record) => {
    const [added = "", deleted = "", ...rest] = record.split("\t");
    const name = rest.join("\t");
    return { name, line: added === "-" ? `${name} (binary)` : `${name} (+${added} -${deleted})` };
  });
}

async function list(
  { records, cut }: ReturnType<typeof recordsOf>,
  isShown: IsShown,
  format: (record: string) => { readonly name: string; readonly line: string },
): Promise<string> {
  const lines: string[] = [];
  for (const record of records) {
    const { name, line } = format(record);
    if (await isShown(name)) lines.push(line);
  }
  if (cut) lines.push("(the list was cut)");
  return lines.join("\n");
}

async function shownDiff({ out, cut }: GitOutput, isShown: IsShown): Promise<string> {
  const sections: string[] = [];
  let leftOut = 0;
  for (const { path: name, text } of diffSections(out)) {
    if (name !== undefined && (await isShown(name))) sections.push(text);
    else leftOut += 1;
  }
  const notes: string[] = [];
  if (cut) notes.push("(the diff was cut at the limit)");
  if (leftOut > 0)
    notes.push(`(left out: ${leftOut} ${leftOut === 1 ? "file" : "files"}, denied or behind a symlink)`);
  return [sections.join("").trimEnd(), ...notes].filter((part) => part !== "").join("\n");
}
