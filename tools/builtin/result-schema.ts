import { z } from "zod";
import { formatError, ToolError } from "../error.ts";
import type { Tool } from "../tool.ts";
import { completionWith } from "./attempt-completion.ts";

/** A JSON Schema as data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Maximum length of a result schema as JSON, in UTF-16 units. */
const SCHEMA_MAX_CHARS = 20_000;

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
  const json = JSON.stringify(schema);
  if (json.length > SCHEMA_MAX_CHARS)
    return `expected a JSON Schema of at most ${SCHEMA_MAX_CHARS} characters, received ${json.length}`;
  if (schema.type !== "object") return 'expected a JSON Schema with type "object"';
  if (hasPattern(schema))
    return "expected a JSON Schema without regular expressions. Use enum, or describe the text";
  try {
    completionWith(z.fromJSONSchema({ ...schema }));
    return undefined;
  } catch (error) {
    return `expected a JSON Schema that results can be checked with: ${formatError(error)}`;
  }
}

/** Whether a schema has a regular expression: one that the model wrote could block the process. */
function hasPattern(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  // A property may have the name `pattern`: its value is a schema.
  if ("pattern" in schema && typeof schema.pattern === "string") return true;
  return "patternProperties" in schema || Object.values(schema).some(hasPattern);
}
