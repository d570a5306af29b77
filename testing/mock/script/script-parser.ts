import type { z } from "zod";
import { isRecord, unknownField } from "./fields.ts";
import type { MockScript } from "./script.ts";
import { ScriptError } from "./script-error.ts";
import { scriptSchema } from "./script-schema.ts";
import { readSource, type Source } from "./source.ts";

/** Maximum characters of a script. */
export const scriptCharsMax = 16 * 1024 * 1024;
/** Maximum problems listed in an error. */
const problemsMax = 5;

/**
 * Parse a script, in JSON or YAML. `name` is the file's name, for errors.
 *
 * @throws ScriptError (`SCRIPT_INVALID`)
 * @example
 * const script = parseScript(`
 * turns:
 *   - status: 529
 *   - tool: read_file
 *     input: { path: README.md }
 *   - text: Done.
 * `);
 */
export function parseScript(text: string, name = "script"): MockScript {
  if (text.length > scriptCharsMax) {
    const place = { file: name, line: 1, column: 1 };
    throw new ScriptError(
      `${name}:1:1: expected a script of at most ${scriptCharsMax} characters, but it has ${text.length}. Use {repeat, times} for long texts.`,
      place,
    );
  }
  const source = readSource(text, name);
  const result = scriptSchema.safeParse(source.value);
  if (result.success) return result.data.name === "script" ? { ...result.data, name } : result.data;
  throw scriptError(source, result.error.issues, name);
}

function scriptError(source: Source, issues: readonly z.core.$ZodIssue[], file: string): ScriptError {
  const problems = issues.slice(0, problemsMax).map((issue) => {
    const key = unknownField(issue);
    const path = key === undefined ? issue.path : [...issue.path, key];
    const { line, column } = source.placeOf(path, key !== undefined);
    const actual =
      key === undefined ? describe(valueAt(source.value, issue.path)) : `the field ${JSON.stringify(key)}`;
    const message = `${file}:${line}:${column}: ${pathText(issue.path)}: expected ${issue.message}, but got ${actual}.`;
    return { line, column, message };
  });
  const [first] = problems;
  const more = issues.length > problemsMax ? [`... and ${issues.length - problemsMax} more.`] : [];
  const message = [...problems.map((problem) => problem.message), ...more].join("\n");
  return new ScriptError(message, { file, line: first?.line ?? 1, column: first?.column ?? 1 });
}

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the script";
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at) && typeof key === "number") at = at[key];
    else if (isRecord(at) && Object.hasOwn(at, key)) at = at[String(key)];
    else return undefined;
  }
  return at;
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  if (isRecord(value)) {
    const keys = Object.keys(value);
    return keys.length === 0 ? "an empty object" : `an object with ${keys.slice(0, 6).join(", ")}`;
  }
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
