import type { z } from "zod";
import type { Input } from "../machines/tool-call/call.ts";

type Issue = z.core.$ZodIssue;

/** Maximum number of issues in one error. */
const NAMED_ISSUES = 3;
/** Maximum length of a shown value, in characters. */
const SHOWN_VALUE_CHARS = 60;

/** Format the invalid arguments of a tool call for the model: what was expected, what was received. */
export function formatArgumentIssues(tool: string, issues: readonly Issue[], input: Input): string {
  const named = issues.slice(0, NAMED_ISSUES).map((issue) => formatIssue(issue, input));
  const more = issues.length - named.length;
  const others = more > 0 ? ` (and ${more} more)` : "";
  return `The arguments of ${tool} are invalid: ${named.join("; ")}${others}. Send the call again with arguments that match its schema.`;
}

function formatIssue(issue: Issue, input: Input): string {
  if (issue.code === "unrecognized_keys") {
    const keys = issue.keys.slice(0, NAMED_ISSUES).map((key) => `'${head(key)}'`);
    return `unknown argument ${keys.join(", ")}${location(issue.path)}`;
  }
  const value = valueAt(input, issue.path);
  const isLong = issue.code === "too_big" && typeof value === "string";
  return `'${formatPath(issue.path)}': expected ${expected(issue)}, received ${isLong ? value.length : received(value)}`;
}

function expected(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return article(issue.expected);
    case "too_small":
      return `at least ${String(issue.minimum)}${unit(issue.origin)}`;
    case "too_big":
      return `at most ${String(issue.maximum)}${unit(issue.origin)}`;
    case "invalid_value":
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    default:
      // A check of our own may begin with the word.
      return issue.message.replace(/^expected /, "");
  }
}

function article(noun: string): string {
  const name = noun === "int" ? "integer" : noun;
  return `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
}

function unit(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " items" : "";
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

function received(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object") return "an object";
  return `a ${typeof value} (${head(JSON.stringify(value))})`;
}

function head(text: string): string {
  return text.length > SHOWN_VALUE_CHARS ? `${text.slice(0, SHOWN_VALUE_CHARS)}...` : text;
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "the arguments" : path.map(String).join(".");
}

function location(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "" : ` in '${formatPath(path)}'`;
}
