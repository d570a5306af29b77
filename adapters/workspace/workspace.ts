import { constants, type Stats } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EditorWorkspace } from "../../ports/editor.ts";
import type { ResolvedPath, Workspace } from "../../ports/workspace.ts";
import { systemCode } from "../../store/files/system-code.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { encodeText } from "../../tools/text-encoding.ts";
import { readChangeTimes } from "./change-times.ts";
import { assertRemovable, assertWritable } from "./changeable.ts";
import { type Confinement, fromRoot, isInside, realPathOf, strictestCheck } from "./confinement.ts";
import { EditorFiles } from "./editor-files.ts";
import { globInside } from "./glob.ts";
import { listInside } from "./list.ts";
import { locate, notUnique } from "./look-alike.ts";
import { openInside } from "./open-path.ts";
import { type RuleLimits, readProjectRules } from "./project-rules.ts";
import { tooLarge } from "./read.ts";
import { readInside } from "./read-inside.ts";
import { removeInside } from "./remove.ts";
import { globFromRoot, mayMatch } from "./rule-pattern.ts";
import { type IsDenied, ROOIGNORE, rooignore } from "./rules.ts";
import { searchInside } from "./search.ts";
import { writeInside } from "./write.ts";

export interface WorkspaceOptions {
  /** Bytes of a file that is read or written. Default 20 MB. */
  readonly maxFileBytes?: number;
  /** Names of files and folders that no listing has. Default `.git` and `node_modules`. */
  readonly hiddenNames?: readonly string[];
  /** Limits of the rule files. */
  readonly rules?: RuleLimits;
  /** How confinement is checked. Default: the strictest check that the system supports. */
  readonly check?: Confinement["check"];
  /** The clock of the timeouts of an editor. */
  readonly clock?: Clock;
}

/**
 * The files in a folder, and no others (L9). On Linux the opened file is checked, and a file is created through its
 * checked folder, so that a symlink that is changed in the meantime does not lead outside. On other systems real paths are
 * checked before and after opening; a symlink that is changed twice in between is not detected. Hard links and mounts
 * inside are inside. `.rooignore` denies access to files and can't be written; `.gitignore` only hides files from
 * listings and searches. With an editor, reads have its unsaved text, and texts are written through it, after the same
 * checks; listings and searches see the disk.
 *
 * @param folder an existing folder, perhaps with its editor; relative to the process's working directory
 * @throws ToolError `NOT_FOUND`, `NOT_A_FOLDER`; `FAILED` for a folder that can't be read
 */
export async function openWorkspace(
  folder: string | EditorWorkspace,
  options: WorkspaceOptions = {},
): Promise<Workspace> {
  const root = await realFolder(typeof folder === "string" ? folder : folder.root);
  const editor =
    typeof folder === "string" ? undefined : new EditorFiles(folder, options.clock ?? systemClock);
  const confinement: Confinement = { root, check: options.check ?? (await strictestCheck()) };
  const maxBytes = options.maxFileBytes ?? 20_000_000;
  const hiddenNames = options.hiddenNames ?? [".git", "node_modules"];
  const readIgnore = rooignore(confinement);
  const readRules = async (): Promise<IsDenied> => (await readIgnore()).isDenied;
  // A tool must not change the rules: it could give itself access to any file.
  const readOnlyRules = async (): Promise<IsDenied> => {
    const isDenied = await readRules();
    return (relative) => relative.toLowerCase() === ROOIGNORE || isDenied(relative);
  };
  const absoluteOf = (named: string): string => path.resolve(root, named);
  /** Uses the path, or if it does not exist, the only one that looks like it. */
  const orAlike = async <T>(
    named: string,
    isDenied: IsDenied,
    use: (absolute: string) => Promise<T>,
  ): Promise<T> => {
    const absolute = absoluteOf(named);
    try {
      return await use(absolute);
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "NOT_FOUND") throw error;
      const found = await locate(confinement, isDenied, absolute);
      if (found.absolute !== absolute) return use(found.absolute);
      throw found.alike.length > 0 ? notUnique(named, found.alike, error) : error;
    }
  };

  return {
    root,
    async resolve(named, { exact = false } = {}): Promise<ResolvedPath> {
      let unreadableRules: string | undefined;
      const isDenied = await readRules().catch((error: unknown) => {
        unreadableRules = formatError(error);
        return () => true;
      });
      const given = absoluteOf(named);
      const absolute = exact ? given : (await locate(confinement, isDenied, given)).absolute;
      const real = await realPathOf(absolute);
      const inside = real !== undefined && isInside(root, real);
      const shown = isInside(root, absolute) ? fromRoot(root, absolute) || "." : named;
      return {
        path: shown,
        real: real ?? absolute,
        inside,
        ignored: inside && isDenied(fromRoot(root, real)),
        ...(unreadableRules !== undefined && { unreadableRules }),
      };
    },
    async mayIgnore(glob) {
      const relative = globFromRoot(root, glob);
      if (relative === undefined) return false;
      const rules = await readIgnore().catch(() => undefined);
      return rules === undefined || mayMatch(rules.patterns, relative);
    },
    async read(named, { exact = false } = {}) {
      const isDenied = await readRules();
      const readAt = (absolute: string): Promise<Uint8Array> =>
        readInside(confinement, isDenied, { absolute, named, maxBytes, editor });
      return exact ? readAt(absoluteOf(named)) : orAlike(named, isDenied, readAt);
    },
    async write(named, content, { expects, modeOf, encoding = "utf-8" } = {}) {
      const bytes = typeof content === "string" ? encodeText(content, encoding) : content;
      if (bytes.length > maxBytes) throw tooLarge(named, bytes.length, maxBytes);
      const text = editor?.saves && typeof content === "string" ? content : undefined;
      return writeInside(confinement, await readOnlyRules(), {
        absolute: absoluteOf(named),
        named,
        bytes,
        expects,
        maxBytes,
        like: modeOf === undefined ? undefined : await statInside(confinement, absoluteOf(modeOf), modeOf),
        editor: editor && { files: editor, text },
      });
    },
    async remove(named, { expects } = {}) {
      const file = { absolute: absoluteOf(named), named, expects, maxBytes, editor };
      return removeInside(confinement, await readOnlyRules(), file);
    },
    async assertChangeable(named, change) {
      const assertIs = change === "write" ? assertWritable : assertRemovable;
      return assertIs(confinement, await readOnlyRules(), { absolute: absoluteOf(named), named, editor });
    },
    async changeTimes(paths) {
      const isDenied = await readRules().catch(() => () => true);
      return readChangeTimes(
        confinement,
        isDenied,
        paths.map((named) => ({ named, absolute: absoluteOf(named) })),
      );
    },
    async projectRules() {
      // A `.rooignore` that can't be read denies access to every file.
      const isDenied = await readRules().catch(() => () => true);
      return readProjectRules(confinement, { isDenied, hiddenNames, limits: options.rules });
    },
    async list(named, { recursive, limit }) {
      const isDenied = await readRules();
      const list = { named, recursive, limit, hiddenNames };
      return orAlike(named, isDenied, (absolute) => listInside(confinement, isDenied, { ...list, absolute }));
    },
    async glob(glob) {
      const isDenied = await readRules();
      const search = { ...glob, hiddenNames };
      return orAlike(glob.path, isDenied, (absolute) =>
        globInside(confinement, isDenied, { ...search, absolute }),
      );
    },
    async search(search) {
      const isDenied = await readRules();
      return orAlike(search.path, isDenied, (absolute) =>
        searchInside(confinement, isDenied, absolute, search, hiddenNames),
      );
    },
  };
}

async function statInside(confinement: Confinement, absolute: string, named: string): Promise<Stats> {
  await using file = await openInside(confinement, absolute, named);
  return await file.handle.stat();
}

async function realFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    if (!(await stat(real)).isDirectory())
      throw new ToolError("NOT_A_FOLDER", `The workspace '${folder}' is a file: expected a folder.`);
    await access(real, constants.R_OK | constants.X_OK);
    return real;
  } catch (cause) {
    if (cause instanceof ToolError) throw cause;
    const code = systemCode(cause);
    if (["ENOENT", "ENOTDIR"].includes(code))
      throw new ToolError(
        "NOT_FOUND",
        `The workspace '${folder}' does not exist: expected a folder. If it was moved, name its new path; otherwise create it.`,
        { cause },
      );
    throw new ToolError(
      "FAILED",
      `The workspace '${folder}' can't be read (${code || String(cause)}): expected a folder that this user may list. Change its permissions, or name another.`,
      { cause },
    );
  }
}
