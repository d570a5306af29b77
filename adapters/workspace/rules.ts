import ignore, { type Ignore } from "ignore";
import { ToolError } from "../../tools/index.ts";
import { openInside } from "./opened.ts";
import { fromRoot, type Place } from "./place.ts";
import { readOpened } from "./read.ts";

/** The most bytes of an ignore file. */
const RULES_MAX_BYTES = 1_000_000;
/** The file whose rules close other files to the tools. */
export const ROOIGNORE = ".rooignore";

/** Says which paths, relative to the workspace, `.rooignore` closes. */
export interface Closed {
  closes(relative: string): boolean;
}

/**
 * The rules of `.rooignore` as it is now; it is read again when it has changed. A file that is there and
 * can't be read closes everything: better no access than one that was forbidden.
 */
export function rooignore(place: Place): () => Promise<Closed> {
  let cached: { readonly stamp: string; readonly closed: Closed } | undefined;
  return async () => {
    const file = await openInside(place, `${place.root}/${ROOIGNORE}`, ROOIGNORE).catch((error: unknown) => {
      if (error instanceof ToolError && error.code === "not_found") return undefined;
      throw unreadable(error);
    });
    if (file === undefined) return { closes: () => false };
    try {
      const { ino, size, mtimeNs, ctimeNs } = await file.handle.stat({ bigint: true });
      const stamp = [ino, size, mtimeNs, ctimeNs].join(" ");
      if (cached?.stamp !== stamp) {
        const text = Buffer.from(await readOpened(place, file, ROOIGNORE, RULES_MAX_BYTES)).toString();
        cached = { stamp, closed: closedBy(ignore().add(text)) };
      }
      return cached.closed;
    } catch (error) {
      throw unreadable(error);
    } finally {
      await file.close();
    }
  };
}

function closedBy(rules: Ignore): Closed {
  return {
    // A rule for folders alone ("secret/") must close the folder itself too.
    closes: (relative) => relative !== "" && (rules.ignores(relative) || rules.ignores(`${relative}/`)),
  };
}

function unreadable(cause: unknown): ToolError {
  return new ToolError(
    "ignored",
    `The rules in ${ROOIGNORE} can't be read, so no file is open: expected a text file of at most ${RULES_MAX_BYTES} bytes. Repair or remove it.`,
    { cause },
  );
}

/** The rules of the `.gitignore` files from the workspace down to one folder. */
export interface Hidden {
  /** `relative` ends in a slash where it is a folder. */
  hides(relative: string): boolean;
  /** The rules for what lies in a folder below. */
  within(folder: string): Promise<Hidden>;
}

interface Level {
  readonly base: string;
  readonly rules: Ignore;
}

/** Hides what `.gitignore` files and `names` (of files or folders, anywhere) say. It only shapes listings. */
export function gitignore(place: Place, names: readonly string[]): Hidden {
  const make = (levels: readonly Level[]): Hidden => ({
    hides(relative) {
      const bare = relative.replace(/\/$/, "");
      if (names.includes(bare.slice(bare.lastIndexOf("/") + 1))) return true;
      return hiddenBy(levels, relative);
    },
    async within(folder) {
      const rules = await rulesIn(place, folder);
      // Who lists an ignored folder wants to see it: the rules that hide it are left behind.
      const above = folder !== "" && hiddenBy(levels, `${folder}/`) ? [] : levels;
      return make(rules === undefined ? above : [...above, { base: folder, rules }]);
    },
  });
  return make([]);
}

/** The rules nearest to the file win. */
function hiddenBy(levels: readonly Level[], relative: string): boolean {
  for (const { base, rules } of levels.toReversed()) {
    const below = base === "" ? relative : relative.slice(base.length + 1);
    if (below === "") continue;
    const { ignored, unignored } = rules.test(below);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

async function rulesIn(place: Place, folder: string): Promise<Ignore | undefined> {
  const named = folder === "" ? ".gitignore" : `${folder}/.gitignore`;
  try {
    await using file = await openInside(place, `${place.root}/${named}`, named);
    if (fromRoot(place.root, file.real) !== named) return undefined;
    const text = Buffer.from(await readOpened(place, file, named, RULES_MAX_BYTES)).toString();
    return ignore({ ignorecase: false }).add(text);
  } catch (error) {
    // No rules here: it hides nothing, and nothing is closed by it.
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
