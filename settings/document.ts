import type { z } from "zod";
import { SettingsError } from "./error.ts";
import { formatPath, problemsOf } from "./problem.ts";
import { readTextFile, type TextFileOptions } from "./text-file.ts";
import { parseYaml, type YamlSource } from "./yaml-source.ts";

/** A parsed file of settings. */
export interface SettingsDocument<T> {
  readonly file: string;
  readonly value: T;
  /** The line of the key at `path`, or of what encloses it; from 1. */
  lineOf(path: readonly PropertyKey[]): number;
}

export interface DocumentOptions {
  /** Whether errors must not have any text of the file. Default: false. */
  readonly isSecret?: boolean;
}

/** Maximum problems in one error. */
const PROBLEMS_MAX = 10;

/**
 * Parse YAML or JSON with a schema. Anchors, aliases and tags are rejected, and keys that occur twice.
 *
 * @throws SettingsError `SETTINGS_INVALID`, whose message has a line `FILE:LINE:COLUMN: key: ...` for each problem
 */
export async function parseDocument<T>(
  text: string,
  file: string,
  schema: z.ZodType<T>,
  { isSecret = false }: DocumentOptions = {},
): Promise<SettingsDocument<T>> {
  const source = await parseYaml(text, file, isSecret);
  const parsed = schema.safeParse(source.value);
  if (parsed.success) return { file, value: parsed.data, lineOf: (path) => source.placeOf(path).line };
  if (isSecret)
    throw new SettingsError("SETTINGS_INVALID", formatSecretProblem(file, source, parsed.error.issues));
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, source.value, schema));
  const shown = problems.slice(0, PROBLEMS_MAX).map(({ path, text }) => {
    const { line, column } = source.placeOf(path);
    const name = path.length === 0 ? "" : `${formatPath(path)}: `;
    return `${file}:${line}:${column}: ${name}${text}`;
  });
  const more = problems.length - shown.length;
  throw new SettingsError(
    "SETTINGS_INVALID",
    [...shown, ...(more > 0 ? [`and ${more} more.`] : [])].join("\n"),
  );
}

/** Where the first problem is, and what the schema itself says of it. */
function formatSecretProblem(file: string, source: YamlSource, [issue]: readonly z.core.$ZodIssue[]): string {
  const { line, column } = source.placeOf(issue?.path ?? []);
  const text = issue?.message.startsWith("expected ") ? issue.message : "expected another value. Correct it.";
  return `${file}:${line}:${column}: ${text}`;
}

/**
 * Read and parse a file. Undefined if there is none.
 *
 * @throws SettingsError `SETTINGS_INVALID`, `SETTINGS_UNREADABLE`
 */
export async function readDocument<T>(
  file: string,
  schema: z.ZodType<T>,
  options: DocumentOptions & TextFileOptions = {},
): Promise<SettingsDocument<T> | undefined> {
  const text = await readTextFile(file, options);
  return text === undefined ? undefined : parseDocument(text, file, schema, options);
}
