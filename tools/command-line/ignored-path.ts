import path from "node:path";
import type { ResolvedPath, Workspace } from "../../ports/workspace.ts";
import { expand, programIn } from "./command-forms.ts";
import { splitCommand, type Word } from "./command-parts.ts";

type IgnoredPathPorts = Pick<Workspace, "resolve" | "mayIgnore">;

/** Maximum number of paths that are looked up for one command line. */
const PATHS_MAX = 1_000;
/** Maximum length of a path that is looked up, in UTF-16 units; Linux limits it to 4,096 bytes. */
const PATH_MAX_CHARS = 4_096;
/** Maximum number of letters before the value of a short option, as in `-xzfFILE`. */
const SHORT_OPTIONS_MAX = 5;

const FOLDER_COMMANDS: ReadonlySet<string> = new Set(["cd", "pushd", "chdir"]);
/** Options that change the working directory of one command. */
const FOLDER_OPTION = /^(-C|--(chdir|cwd|directory|prefix|work-tree))(=|$)?(.*)/s;
const PATTERN = /[*?[]/;
/** The characters that may surround a path in a word, as in `--file=a`, `HEAD:a` and `open("a")`. */
const AROUND_PATHS = /[\s=:,;@'"`()<>|&{}!#$%^+]+/;

/**
 * Find a path in a command line that `.rooignore` denies: in a word of any command, script or redirect. What a command
 * reads without naming it, as `grep -r x .` does, is not found.
 *
 * @param cwd the real path of the working directory
 * @returns a clause with the word that names such a path, or may name one; undefined: none does
 */
export async function ignoredPathIn(
  command: string,
  cwd: string,
  workspace: IgnoredPathPorts,
): Promise<string | undefined> {
  if (!(await workspace.mayIgnore("**"))) return undefined;
  const { words, folders, isClear } = wordsOf(command);
  const names = namesIn(words);
  const places = placesOf(cwd, folders);
  if (names.size * places.size > PATHS_MAX)
    return `the command line has more than ${PATHS_MAX} words that may be paths, and .rooignore blocks some paths`;
  for (const place of places)
    for (const name of names) {
      const found = await matchIn(place, name, workspace);
      if (found !== undefined) return `'${name.slice(0, 200)}' ${found} blocked by .rooignore`;
    }
  const open = words.find(({ isOpen, text }) => isOpen || text.startsWith("~"));
  if (open !== undefined)
    return `'${open.text.slice(0, 200)}' may become a path that is blocked by .rooignore`;
  return isClear ? undefined : "the command line may name a path that is blocked by .rooignore";
}

interface CommandWords {
  readonly words: readonly Word[];
  /** Words that may name the folder in which later commands run. */
  readonly folders: readonly string[];
  /** Whether these are all words that the commands get. */
  readonly isClear: boolean;
}

function wordsOf(command: string): CommandWords {
  const { parts, unsupported, targets } = splitCommand(command);
  const expansions = parts.map((part) => expand(part));
  const forms = expansions.flatMap((each) => each.forms);
  const words = new Set([...forms.flat(), ...targets, ...expansions.flatMap((each) => each.targets)]);
  return {
    words: [...words],
    folders: forms.flatMap(foldersIn),
    isClear: unsupported.length === 0 && !expansions.some(({ uncertain }) => uncertain),
  };
}

function foldersIn([first, ...rest]: readonly Word[]): readonly string[] {
  if (first === undefined) return [];
  if (FOLDER_COMMANDS.has(programIn(first.text))) return rest.map(({ text }) => text);
  return rest.flatMap(({ text }, at) => {
    const option = FOLDER_OPTION.exec(text);
    return option === null ? [] : [option[4] || (rest[at + 1]?.text ?? "")];
  });
}

/** The working directory, and those that the command line may change to. */
function placesOf(cwd: string, folders: readonly string[]): ReadonlySet<string> {
  const places = new Set([cwd]);
  for (const folder of new Set(folders))
    for (const place of [...places]) if (places.size <= PATHS_MAX) places.add(path.resolve(place, folder));
  return places;
}

/** The texts in words that may be paths. */
function namesIn(words: readonly Word[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { text } of words) {
    const values = text.split("=").map((_, at, parts) => parts.slice(at).join("="));
    const afterOptions = /^-[^-]/.test(text)
      ? Array.from({ length: SHORT_OPTIONS_MAX }, (_, at) => text.slice(at + 2))
      : [];
    for (const name of [...values, ...text.split(AROUND_PATHS), ...afterOptions])
      if (name !== "" && name.length <= PATH_MAX_CHARS && names.size <= PATHS_MAX) names.add(name);
  }
  return names;
}

async function matchIn(
  place: string,
  name: string,
  workspace: IgnoredPathPorts,
): Promise<string | undefined> {
  const parts = name.split("/");
  const wild = parts.findIndex((part) => PATTERN.test(part));
  const literal = wild < 0 ? parts : parts.slice(0, wild);
  const { real, ignored } = await follow(place, literal, workspace);
  if (ignored) return "is";
  if (wild < 0) return undefined;
  const isMatch = await workspace.mayIgnore([real, ...parts.slice(wild)].join("/"));
  return isMatch ? "may match a path that is" : undefined;
}

/** Resolve a path as the system does: it follows a symlink before it goes up from it. */
async function follow(
  place: string,
  parts: readonly string[],
  workspace: IgnoredPathPorts,
): Promise<Pick<ResolvedPath, "real" | "ignored">> {
  if (!parts.includes("..")) return workspace.resolve(path.resolve(place, parts.join("/")));
  let at: Pick<ResolvedPath, "real" | "ignored"> = { real: parts[0] === "" ? "/" : place, ignored: false };
  for (const part of parts) {
    at = await workspace.resolve(path.join(at.real, part));
    if (at.ignored) return at;
  }
  return at;
}
