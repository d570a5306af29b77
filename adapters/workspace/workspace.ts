import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type Clock, systemClock } from "../../actors/index.ts";
import { type EditorWorkspace, type ResolvedPath, ToolError, type Workspace } from "../../tools/index.ts";
import { readChangeTimes } from "./change-times.ts";
import { assertRemovable, assertWritable } from "./changeable.ts";
import { type Confinement, fromRoot, isInside, realPathOf, strictestCheck } from "./confinement.ts";
import { EditorFiles } from "./editor-files.ts";
import { globInside } from "./glob.ts";
import { listInside } from "./list.ts";
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
 * checked folder, so that a symlink that is changed meanwhile does not lead outside. On other systems real paths are
 * checked before and after opening; a symlink that is changed twice in between is not detected. Hard links and mounts
 * inside are inside. `.rooignore` denies access to files and can't be written; `.gitignore` only hides files from
 * listings and searches. With an editor, reads have its unsaved text, and texts are written through it, after the same
 * checks; listings and searches see the disk.
 *
 * @param folder an existing folder, perhaps with its editor; relative to the process's working directory
 * @throws ToolError `not_found`, `not_a_folder`
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

  return {
    root,
    async resolve(named): Promise<ResolvedPath> {
      const absolute = absoluteOf(named);
      const real = await realPathOf(absolute);
      const inside = real !== undefined && isInside(root, real);
      const shown = isInside(root, absolute) ? fromRoot(root, absolute) || "." : named;
      const isDenied = await readRules().catch(() => () => true);
      return {
        path: shown,
        real: real ?? absolute,
        inside,
        ignored: inside && isDenied(fromRoot(root, real)),
      };
    },
    async mayIgnore(glob) {
      const relative = globFromRoot(root, glob);
      if (relative === undefined) return false;
      const rules = await readIgnore().catch(() => undefined);
      return rules === undefined || mayMatch(rules.patterns, relative);
    },
    async read(named) {
      const isDenied = await readRules();
      return readInside(confinement, isDenied, { absolute: absoluteOf(named), named, maxBytes, editor });
    },
    async write(named, content, { expects, modeOf } = {}) {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
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
      const list = { absolute: absoluteOf(named), named, recursive, limit, hiddenNames };
      return listInside(confinement, isDenied, list);
    },
    async glob(glob) {
      const search = { ...glob, absolute: absoluteOf(glob.path), hiddenNames };
      return globInside(confinement, await readRules(), search);
    },
    async search(search) {
      return searchInside(confinement, await readRules(), absoluteOf(search.path), search, hiddenNames);
    },
  };
}

async function statInside(confinement: Confinement, absolute: string, named: string): Promise<Stats> {
  await using file = await openInside(confinement, absolute, named);
  return await file.handle.stat();
}

async function realFolder(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined)
    throw new ToolError(
      "not_found",
      `The workspace '${folder}' does not exist: expected a folder. Create it first.`,
    );
  if (!(await stat(real)).isDirectory())
    throw new ToolError("not_a_folder", `The workspace '${folder}' is a file: expected a folder.`);
  return real;
}
