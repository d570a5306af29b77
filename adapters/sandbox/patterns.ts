import { lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import { firstPositions, positionsAfter } from "../../tools/policy/wildcards.ts";
import { SandboxError } from "./error.ts";
import { absolutePath, type SandboxOptions } from "./options.ts";

/** Limits of the patterns of one sandbox. Each match is mounted. */
export interface PatternLimits {
  /** Files and folders that all patterns match. Default 200. */
  readonly maxMatches: number;
  /** Files and folders that are looked at. Default 100,000. */
  readonly maxEntries: number;
}
const LIMITS: PatternLimits = { maxMatches: 200, maxEntries: 100_000 };

const PATHS = ["write", "read", "denyRead", "denyWrite"] as const;

const hasWildcard = (given: string): boolean => /[*?]/.test(given);

/**
 * The options with the files that exist now in place of patterns with `*`, `?` and `**`. Links are not followed.
 *
 * @throws SandboxError `SANDBOX_PATTERN`
 */
export async function withoutPatterns<Options extends SandboxOptions>(
  options: Options,
  workspace: string,
  limits: PatternLimits = LIMITS,
): Promise<Options> {
  const left = { matches: limits.maxMatches, entries: limits.maxEntries };
  const found: { -readonly [K in (typeof PATHS)[number]]?: readonly string[] } = {};
  for (const name of PATHS) {
    const given = options[name];
    if (given?.some(hasWildcard) !== true) continue;
    const all: string[] = [];
    for (const each of given)
      if (!hasWildcard(each)) all.push(each);
      else
        all.push(
          ...(await new Search(`sandbox.${name}: ${each}`, left, limits).find(absolutePath(each, workspace))),
        );
    found[name] = all;
  }
  return { ...options, ...found };
}

interface Left {
  matches: number;
  entries: number;
}

/** A search for the files that one pattern matches. */
class Search {
  readonly #named: string;
  readonly #left: Left;
  readonly #limits: PatternLimits;
  readonly #found: string[] = [];

  constructor(named: string, left: Left, limits: PatternLimits) {
    this.#named = named;
    this.#left = left;
    this.#limits = limits;
  }

  async find(pattern: string): Promise<readonly string[]> {
    // The access to a folder is the access to all in it.
    const names = pattern
      .replace(/(\/\*\*)+$/, "")
      .split("/")
      .slice(1);
    const fixed = names.findIndex(hasWildcard);
    const base = path.join("/", ...(fixed < 0 ? names : names.slice(0, fixed)));
    if (fixed < 0) this.#add(base);
    else {
      const wild = names.slice(fixed);
      await this.#search(base, wild, firstPositions(wild));
    }
    return this.#found;
  }

  /** `reached`: the positions in the pattern that the names in the folder may be at. */
  async #search(folder: string, names: readonly string[], reached: ReadonlySet<number>): Promise<void> {
    for (const entry of await this.#entriesOf(folder)) {
      this.#left.entries -= 1;
      if (this.#left.entries < 0) throw this.#tooMany("maxEntries", "files and folders to look at");
      const next = positionsAfter(names, reached, entry.name);
      const file = path.join(folder, entry.name);
      if (next.has(names.length)) this.#add(file);
      else if (next.size > 0 && entry.isDirectory()) await this.#search(file, names, next);
    }
  }

  #add(file: string): void {
    this.#left.matches -= 1;
    if (this.#left.matches < 0) throw this.#tooMany("maxMatches", "matches");
    this.#found.push(file);
  }

  async #entriesOf(folder: string) {
    try {
      return await readdir(folder, { withFileTypes: true });
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return [];
      // A command can open a folder of the same user again, and with it what would be denied.
      if (systemCode(error) === "EACCES" && lstatSync(folder).uid !== process.getuid?.()) return [];
      throw new SandboxError(
        "SANDBOX_PATTERN",
        `${this.#named}: expected folders that can be read, but '${folder}' can't be. Permit it, or name paths without wildcards.`,
        { cause: error },
      );
    }
  }

  #tooMany(limit: keyof PatternLimits, what: string): SandboxError {
    return new SandboxError(
      "SANDBOX_PATTERN",
      `${this.#named}: expected at most ${this.#limits[limit]} ${what} of all patterns (${limit}). Name a folder in place of the files in it, or a narrower pattern.`,
    );
  }
}
