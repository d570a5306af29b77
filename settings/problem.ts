import { z } from "zod";

type Path = readonly PropertyKey[];

/** One thing that is wrong with a value. */
export interface Problem {
  readonly path: Path;
  /** The expected value, the received value, and the advice. */
  readonly text: string;
}

/** The problems of an issue of zod with the value `root`. */
export function problemsOf(issue: z.core.$ZodIssue, root: unknown, schema: z.ZodType): readonly Problem[] {
  const { path } = issue;
  const received = valueAt(root, path);
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, path).join(", ");
    const text = `expected one of ${known}; this key is unknown. Remove it, or correct its name.`;
    return issue.keys.map((key) => ({ path: [...path, key], text }));
  }
  const inner = issue.code === "invalid_key" || issue.code === "invalid_element" ? issue.issues[0] : issue;
  return [{ path, text: inner === undefined ? issue.message : textOf(inner, received) }];
}

/** The dotted path of a problem, for a message. */
export const formatPath = (path: Path): string => path.map((name) => printableName(String(name))).join(".");

function textOf(issue: z.core.$ZodIssue, received: unknown): string {
  // A schema may say itself what is expected.
  if (issue.message.startsWith("expected ")) return issue.message;
  if (received === null && issue.code === "invalid_type" && issue.expected === "string")
    return `expected a text, received null, which is what YAML reads for ~, null and no value. Quote the text, such as "~/".`;
  return `expected ${expectedOf(issue)}, received ${formatReceived(issue, received)}. ${received === undefined ? "Add" : "Correct"} it.`;
}

function expectedOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values
        .map(String)
        .join(", ")
        .replace(/, ([^,]+)$/, " or $1");
    case "too_big":
      return `at most ${issue.maximum} ${unitOf(issue.origin)}`.trim();
    case "too_small":
      return `at least ${issue.minimum} ${unitOf(issue.origin)}`.trim();
    default:
      return `another value (${issue.message})`;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  object: "an object",
  record: "an object",
  array: "a list",
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

const unitOf = (origin: string): string =>
  origin === "string" ? "characters" : origin === "array" ? "entries" : "";

/** Only a choice or a number is quoted: any other text may be a secret. */
function formatReceived({ code }: z.core.$ZodIssue, received: unknown): string {
  if (received === undefined) return "nothing";
  if (received === null) return "null";
  if (typeof received === "string" && code !== "invalid_value")
    return `a text of ${received.length} characters`;
  if (typeof received === "string") return printableName(received);
  if (Array.isArray(received)) return `a list of ${received.length} entries`;
  return typeof received === "object" ? "an object" : String(received);
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

/** The keys of the object at `path`. */
function knownKeys(root: z.ZodType, path: Path): readonly string[] {
  let schema: unknown = root;
  for (const name of [...path, undefined]) {
    while (isWrapper(schema)) schema = schema.unwrap();
    if (name === undefined) break;
    if (schema instanceof z.ZodObject) schema = schema.shape[String(name)];
    else if (schema instanceof z.ZodRecord) schema = schema.valueType;
    else if (schema instanceof z.ZodArray) schema = schema.element;
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

const isWrapper = (schema: unknown): schema is z.ZodOptional | z.ZodReadonly | z.ZodDefault =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodReadonly || schema instanceof z.ZodDefault;

/** Maximum characters of a name in a message. */
const NAME_MAX_CHARS = 100;

/** A name of a file that others may have written, for a message: quoted unless it is plain, without control characters. */
export function printableName(name: string): string {
  const cut = name.length > NAME_MAX_CHARS ? `${name.slice(0, NAME_MAX_CHARS)}...` : name;
  const text = cut.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return /^[\w-]+$/.test(text) ? text : `'${text}'`;
}
