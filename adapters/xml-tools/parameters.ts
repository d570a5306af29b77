import type { ModelTool } from "../../ports/model.ts";

/** How the value of a parameter is written: a text as it is, anything else as JSON. */
export type ValueFormat = "text" | "json";

/** The parameters of a tool, by name. */
export type Parameters = ReadonlyMap<string, ValueFormat>;

export function parametersOf({ input_schema: { properties } }: ModelTool): Parameters {
  const schemas = isObject(properties) ? Object.entries(properties) : [];
  return new Map(schemas.map(([name, schema]) => [name, isText(schema) ? "text" : "json"]));
}

/** Whether a schema accepts strings and, besides null, nothing else. */
function isText(schema: unknown): boolean {
  const types = typesOf(schema).filter((type) => type !== "null");
  return types.length > 0 && types.every((type) => type === "string");
}

/** The JSON types that a schema accepts; `any` if it does not say. */
function typesOf(schema: unknown): readonly unknown[] {
  if (!isObject(schema)) return ["any"];
  const { type, anyOf, oneOf, enum: values } = schema;
  if (type !== undefined) return Array.isArray(type) ? type : [type];
  if (Array.isArray(values)) return values.map((value) => (value === null ? "null" : typeof value));
  const variants = anyOf ?? oneOf;
  return Array.isArray(variants) ? variants.flatMap(typesOf) : ["any"];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
