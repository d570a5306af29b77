import { z } from "zod";
import { formatError, ToolError } from "../error.ts";
import type { Tool } from "../tool.ts";
import { completionWith } from "./attempt-completion.ts";

/** A JSON Schema as data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Maximum length of a result schema as JSON, in UTF-16 units. */
const SCHEMA_MAX_CHARS = 20_000;

/** Maximum number of objects and arrays in each other in a result schema. */
const SCHEMA_MAX_DEPTH = 100;

/**
 * The keywords that a schema by a model may not have. A regular expression could block the process, and so could references:
 * a schema of 30 definitions that each refer twice to the next one takes 2^30 steps to check a result.
 */
const REFUSED_KEYWORDS: Readonly<Record<string, string>> = {
  pattern: "regular expressions. Use enum, or describe the text",
  patternProperties: "regular expressions. Use enum, or describe the text",
  $ref: "references ($ref). Write each schema where it is used",
  $dynamicRef: "references ($dynamicRef). Write each schema where it is used",
  $recursiveRef: "references ($recursiveRef). Write each schema where it is used",
};

/**
 * The completion tool for a result that this schema accepts.
 *
 * @throws ToolError `TOOL_INVALID` for a schema that no result can be checked with
 */
export function completionFor(schema: JsonSchema): Tool {
  const error = resultSchemaError(schema);
  if (error !== undefined) throw new ToolError("TOOL_INVALID", `The result schema is invalid: ${error}.`);
  return completionWith(z.fromJSONSchema({ ...schema }));
}

/** The error of a result schema, as a clause that begins with "expected". Undefined for a valid one. */
export function resultSchemaError(schema: JsonSchema): string | undefined {
  const error = contentError(schema, SCHEMA_MAX_DEPTH);
  if (error !== undefined) return error;
  const json = JSON.stringify(schema);
  if (json.length > SCHEMA_MAX_CHARS)
    return `expected a JSON Schema of at most ${SCHEMA_MAX_CHARS} characters, received ${json.length}`;
  if (schema.type !== "object") return 'expected a JSON Schema with type "object"';
  try {
    completionWith(z.fromJSONSchema({ ...schema }));
    return undefined;
  } catch (error) {
    return `expected a JSON Schema that results can be checked with: ${formatError(error)}`;
  }
}

/** The error of a value in a schema: a keyword that is refused, or more than `depth` objects and arrays in each other. */
function contentError(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === 0) return `expected a JSON Schema of at most ${SCHEMA_MAX_DEPTH} nested objects and arrays`;
  for (const [key, inner] of Object.entries(value)) {
    const error = keywordError(key, inner) ?? contentError(inner, depth - 1);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** The error of a keyword. A property may have the same name: its value is a schema. */
const keywordError = (key: string, value: unknown): string | undefined =>
  Object.hasOwn(REFUSED_KEYWORDS, key) && (typeof value === "string" || key === "patternProperties")
    ? `expected a JSON Schema without ${REFUSED_KEYWORDS[key]}`
    : undefined;
