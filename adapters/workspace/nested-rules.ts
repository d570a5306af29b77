import path from "node:path";
import type { Confinement } from "./confinement.ts";
import { type Entry, entriesOf, isFolder } from "./list.ts";
import { hidingRules, type IsDenied } from "./rules.ts";

/** Rule files of a subfolder, in their order. */
const NAMES = ["AGENTS.md", "CLAUDE.md"];
/** Folders that are read at the same time. */
const AT_ONCE = 16;

export interface NestedRuleSearch {
  readonly isDenied: IsDenied;
  readonly hiddenNames: readonly string[];
  /** Maximum number of files that are found. */
  readonly files: number;
  /** Maximum number of folders that are read. */
  readonly folders: number;
  /** Number of entries after which no other folder is read. */
  readonly entries: number;
}

/**
 * Finds the rule files of subfolders, breadth first, each level by name. Ignored files and folders are omitted, as in
 * listings, and so are folders whose names begin with a dot. Symlinks to folders are not followed (L9).
 */
export async function findNestedRules(
  confinement: Confinement,
  { isDenied, hiddenNames, files, folders, entries }: NestedRuleSearch,
): Promise<readonly string[]> {
  const rulesOf = hidingRules(confinement, hiddenNames);
  const readFolder = async (folder: string): Promise<Level> => {
    const all = (await entriesOf(confinement, folder)).found;
    const below = all.filter((entry) => isFolder(entry) && !path.posix.basename(entry.name).startsWith("."));
    const rules = folder === "" ? [] : NAMES.flatMap((name) => all.filter(isFile(`${folder}/${name}`)));
    if (below.length + rules.length === 0) return { rules: [], folders: [], entries: all.length };
    const isHidden = await rulesOf(folder);
    const visible = (entries: readonly Entry[]): readonly string[] =>
      entries.filter(({ name, shown }) => !isDenied(name) && !isHidden(shown)).map(({ name }) => name);
    return { rules: visible(rules), folders: visible(below), entries: all.length };
  };
  const found: string[] = [];
  let entriesRead = 0;
  const queue = [""];
  for (let next = 0; next < Math.min(queue.length, folders); ) {
    if (entriesRead >= entries || found.length >= files) break;
    const batch = queue.slice(next, Math.min(next + AT_ONCE, folders));
    next += batch.length;
    for (const level of await Promise.all(batch.map(readFolder))) {
      found.push(...level.rules);
      queue.push(...level.folders);
      entriesRead += level.entries;
    }
  }
  return found.slice(0, files);
}

/** The visible entries of a folder. */
interface Level {
  readonly rules: readonly string[];
  readonly folders: readonly string[];
  /** The number of all its entries. */
  readonly entries: number;
}

const isFile =
  (name: string) =>
  ({ shown }: Entry): boolean =>
    shown === name;
