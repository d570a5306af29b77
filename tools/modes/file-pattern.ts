import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { ToolError } from "../error.ts";
import type { FilePattern } from "./mode.ts";

/** Maximum length of a file pattern, in characters. */
export const FILE_PATTERN_MAX_CHARS = 1_000;

const compiled = new WeakMap<FilePattern, RE2JS>();

/**
 * Whether the pattern is found in the path. The time is linear in the path's length, whatever the pattern is.
 *
 * @throws ToolError `PATTERN_INVALID`
 */
export function matchesFile(files: FilePattern, path: string): boolean {
  return compileFilePattern(files).test(path);
}

/**
 * Compile a file pattern, once per object.
 *
 * @throws ToolError `PATTERN_INVALID` if it is not a regular expression of RE2
 */
export function compileFilePattern(files: FilePattern): RE2JS {
  const known = compiled.get(files);
  if (known !== undefined) return known;
  const { pattern } = files;
  if (pattern.length > FILE_PATTERN_MAX_CHARS) {
    throw new ToolError(
      "PATTERN_INVALID",
      `Expected a file pattern of at most ${FILE_PATTERN_MAX_CHARS} characters, received ${pattern.length}. Shorten it.`,
    );
  }
  try {
    const expression = RE2JS.compile(pattern);
    compiled.set(files, expression);
    return expression;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ToolError(
      "PATTERN_INVALID",
      `Expected a regular expression of RE2, which has no lookaround and no backreferences, received ${quote(pattern)} (${reasonOf(error)}). Correct it.`,
      { cause: error },
    );
  }
}

/** The message of a syntax error has parts of the pattern, its description has none. */
const reasonOf = (error: RE2JSException): string =>
  error instanceof RE2JSSyntaxException ? error.getDescription() : error.message;

/** The pattern for a message, without control characters. */
const quote = (pattern: string): string => JSON.stringify(pattern.slice(0, 200).replace(/\p{C}/gu, "?"));
