import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { RuleFile } from "../../ports/workspace.ts";
import { ToolError } from "../../tools/error.ts";
import { decodeText, EXPECTED_TEXT } from "../../tools/text-encoding.ts";
import { type Confinement, fromRoot } from "./confinement.ts";
import { findNestedRules } from "./nested-rules.ts";
import { openInside } from "./open-path.ts";
import { readOpenStart } from "./read.ts";
import type { IsDenied } from "./rules.ts";

export interface RuleLimits {
  /** Maximum number of files. Default 50. */
  readonly files?: number;
  /** Maximum bytes of one file. Default 32,768. */
  readonly fileBytes?: number;
  /** Maximum bytes of all files. Default 131,072. */
  readonly totalBytes?: number;
  /** Maximum number of folders that are searched for rule files. Default 2,000. */
  readonly folders?: number;
  /** Number of files and folders after which the search ends. Default 100,000. */
  readonly entries?: number;
}

export interface RuleReading {
  /** Whether access to a rule file of a subfolder is denied. */
  readonly isDenied: IsDenied;
  readonly hiddenNames: readonly string[];
  readonly limits?: RuleLimits | undefined;
}

/** Rule files, and folders whose `.md` and `.txt` files are rules, in the order of their names. */
const PLACES = ["AGENTS.md", "CLAUDE.md", ".clinerules", ".roo/rules"];

/** Find the places at the top of a workspace that may have rules; their content is not read. */
export const findProjectRules = (root: string): readonly string[] =>
  PLACES.filter((place) => existsSync(path.join(root, place)));

/**
 * Reads the rule files of a workspace, subfolders last. A symlink that leads outside is not followed (L9), and
 * only regular files are read, each file once. The text of a file that can't be read gives the reason.
 */
export async function readProjectRules(
  confinement: Confinement,
  { isDenied, hiddenNames, limits = {} }: RuleReading,
): Promise<readonly RuleFile[]> {
  const { files = 50, fileBytes = 32_768, totalBytes = 131_072, folders = 2_000, entries = 100_000 } = limits;
  const top = (await Promise.all(PLACES.map((place) => pathsAt(confinement, place)))).flat();
  const nested = await findNestedRules(confinement, { isDenied, hiddenNames, files, folders, entries });
  const candidates: readonly Candidate[] = [
    ...top.map((named) => ({ named })),
    ...nested.map((named) => ({ named, folder: path.posix.dirname(named), isDenied })),
  ];
  const rules: RuleFile[] = [];
  const seen = new Set<string>();
  let left = totalBytes;
  for (const candidate of candidates) {
    if (rules.length === files || left <= 0) break;
    const rule = await readRule(confinement, candidate, seen, Math.min(fileBytes, left));
    if (rule === undefined) continue;
    left -= Buffer.byteLength(rule.text);
    rules.push(rule);
  }
  return rules;
}

interface Candidate {
  readonly named: string;
  readonly folder?: string;
  readonly isDenied?: IsDenied;
}

async function pathsAt(confinement: Confinement, place: string): Promise<readonly string[]> {
  try {
    await using opened = await openInside(confinement, path.join(confinement.root, place), place);
    const names = await readdir(opened.via);
    return names
      .filter((name) => /\.(md|txt)$/i.test(name))
      .sort()
      .map((name) => `${place}/${name}`);
  } catch {
    // Not a folder: a file, or nothing.
    return [place];
  }
}

async function readRule(
  confinement: Confinement,
  { named, folder, isDenied }: Candidate,
  seen: Set<string>,
  maxBytes: number,
): Promise<RuleFile | undefined> {
  const scope = folder !== undefined && { folder };
  try {
    await using file = await openInside(confinement, path.join(confinement.root, named), named);
    if (seen.has(file.real) || isDenied?.(fromRoot(confinement.root, file.real))) return undefined;
    seen.add(file.real);
    const start = await readOpenStart(confinement, file, named, maxBytes);
    if (start === undefined) return undefined;
    const text = decodeText(start.bytes, start.cut)?.trim();
    if (text === undefined) throw new ToolError("BINARY", `expected ${EXPECTED_TEXT}. Save it as UTF-8.`);
    return text === "" ? undefined : { path: named, ...scope, text, cut: start.cut };
  } catch (error) {
    if (error instanceof ToolError && NO_RULES.has(error.code)) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    return { path: named, ...scope, text: `(This file could not be read: ${reason})`, cut: false };
  }
}

/** Codes of a file that is missing, outside, or not a regular file. */
const NO_RULES: ReadonlySet<string> = new Set(["NOT_FOUND", "OUTSIDE_WORKSPACE", "NOT_A_FILE"]);
