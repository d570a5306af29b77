import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { ToolError } from "../../tools/error.ts";
import { decodeText, EXPECTED_TEXT, withoutMark } from "../../tools/text-encoding.ts";
import { type Confinement, fromRoot } from "./confinement.ts";
import { foldName } from "./name-folding.ts";
import { openInside } from "./open-path.ts";
import { readOpen } from "./read.ts";
import { type RulePattern, rulePatterns } from "./rule-pattern.ts";

/** Bytes of an ignore file. */
const RULES_MAX_BYTES = 1_000_000;
/** The file whose rules deny tools access to other files. */
export const ROOIGNORE = ".rooignore";

/** Whether access to a path, relative to the workspace, is denied. */
export type IsDenied = (relative: string) => boolean;

/** The rules of a `.rooignore`. */
export interface RooIgnore {
  readonly isDenied: IsDenied;
  readonly patterns: readonly RulePattern[];
}

const NO_RULES: RooIgnore = { isDenied: () => false, patterns: [] };

/**
 * Reads the current rules of `.rooignore`; they are parsed again when it has changed. A file that can't be read denies
 * access to everything.
 */
export function rooignore(confinement: Confinement): () => Promise<RooIgnore> {
  let cached: { readonly stamp: string; readonly rules: RooIgnore } | undefined;
  return async () => {
    const opened = await openInside(confinement, `${confinement.root}/${ROOIGNORE}`, ROOIGNORE).catch(
      (error: unknown) => {
        if (error instanceof ToolError && error.code === "NOT_FOUND") return undefined;
        throw unreadable(error);
      },
    );
    if (opened === undefined) return NO_RULES;
    try {
      await using file = opened;
      const { ino, size, mtimeNs, ctimeNs } = await file.handle.stat({ bigint: true });
      const stamp = [ino, size, mtimeNs, ctimeNs].join(" ");
      if (cached?.stamp !== stamp) {
        const bytes = await readOpen(confinement, file, ROOIGNORE, RULES_MAX_BYTES);
        const text = decodeText(bytes);
        if (text === undefined || text.includes("\0")) throw new TypeError(`expected ${EXPECTED_TEXT}`);
        cached = { stamp, rules: rulesOf(withoutMark(text)) };
      }
      return cached.rules;
    } catch (error) {
      throw unreadable(error);
    }
  };
}

/**
 * The rules of a text. Some file systems find a file by another normalization of its name, and the workspace finds one by
 * a name that looks like its own: a rule denies access by each of these names.
 */
function rulesOf(text: string): RooIgnore {
  const exact = deniedBy(ignore().add(text.normalize("NFC")));
  const folded = foldName(text);
  const alike = deniedBy(ignore().add(folded));
  return {
    isDenied: (relative) => exact(relative.normalize("NFC")) || alike(foldName(relative)),
    patterns: rulePatterns(folded),
  };
}

/** A rule for folders alone ("secret/") must also deny access to the folder itself. */
const deniedBy =
  (rules: Ignore): IsDenied =>
  (name) =>
    name !== "" && (rules.ignores(name) || rules.ignores(`${name}/`));

export function assertAllowed(isDenied: IsDenied, relative: string, named: string): void {
  if (!isDenied(relative)) return;
  throw new ToolError(
    "IGNORED",
    `Access to '${named}' is blocked by ${ROOIGNORE}. Continue without this file, or ask the user to change the rules.`,
  );
}

function unreadable(cause: unknown): ToolError {
  return new ToolError(
    "IGNORED",
    `The rules in ${ROOIGNORE} can't be read, so access to every file is denied: expected ${EXPECTED_TEXT}, of at most ${RULES_MAX_BYTES} bytes. Save it as UTF-8, or remove it.`,
    { cause },
  );
}

/** Whether listings and searches omit a path in a folder. The path of a folder ends in a slash. */
export type IsHidden = (relative: string) => boolean;

interface Level {
  readonly base: string;
  readonly rules: Ignore;
}

/**
 * The rules for the content of each folder, from the `.gitignore` files from the workspace down to it, each read
 * once, and `names` of files or folders that are hidden everywhere.
 */
export function hidingRules(
  confinement: Confinement,
  names: readonly string[],
): (folder: string) => Promise<IsHidden> {
  const known = new Map<string, Promise<readonly Level[]>>();
  const read = async (folder: string): Promise<readonly Level[]> => {
    const parent = folder.slice(0, Math.max(folder.lastIndexOf("/"), 0));
    const inherited = folder === "" ? [] : await levelsOf(parent);
    const rules = await rulesIn(confinement, folder);
    // An ignored folder can be listed by its name: rules that hide the folder don't hide its content.
    const levels = folder !== "" && isHiddenBy(inherited, `${folder}/`) ? [] : inherited;
    return rules === undefined ? levels : [...levels, { base: folder, rules }];
  };
  const levelsOf = (folder: string): Promise<readonly Level[]> => {
    const levels = known.get(folder) ?? read(folder);
    known.set(folder, levels);
    return levels;
  };
  return async (folder) => {
    const levels = await levelsOf(folder);
    return (relative) => names.includes(path.posix.basename(relative)) || isHiddenBy(levels, relative);
  };
}

/** Whether a listing of `base` has a file: neither the file nor a folder above it is hidden. */
export function createIsShown(
  confinement: Confinement,
  base: string,
  hiddenNames: readonly string[],
): (relative: string) => Promise<boolean> {
  const rulesOf = hidingRules(confinement, hiddenNames);
  const baseDepth = base === "" ? 0 : base.split("/").length;
  return async (relative) => {
    const parts = relative.split("/");
    for (let depth = baseDepth; depth < parts.length; depth += 1) {
      const isHidden = await rulesOf(parts.slice(0, depth).join("/"));
      const slash = depth + 1 < parts.length ? "/" : "";
      if (isHidden(parts.slice(0, depth + 1).join("/") + slash)) return false;
    }
    return true;
  };
}

/** The rules nearest to the file take precedence. */
function isHiddenBy(levels: readonly Level[], relative: string): boolean {
  for (const { base, rules } of levels.toReversed()) {
    const below = base === "" ? relative : relative.slice(base.length + 1);
    if (below === "") continue;
    const { ignored, unignored } = rules.test(below);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

async function rulesIn(confinement: Confinement, folder: string): Promise<Ignore | undefined> {
  const named = folder === "" ? ".gitignore" : `${folder}/.gitignore`;
  try {
    await using file = await openInside(confinement, `${confinement.root}/${named}`, named);
    if (fromRoot(confinement.root, file.real) !== named) return undefined;
    const text = decodeText(await readOpen(confinement, file, named, RULES_MAX_BYTES));
    return text === undefined ? undefined : ignore({ ignorecase: false }).add(withoutMark(text));
  } catch (error) {
    // Without readable rules nothing is hidden. This denies no access.
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
