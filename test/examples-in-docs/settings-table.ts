import { z } from "zod";
import { PROJECT_USE, settingsJsonSchema } from "../../settings/schema.ts";
import { formatCell } from "./docstrings.ts";
import { formatTable } from "./format-table.ts";

const Schema = z.looseObject({
  description: z.string().optional(),
  get properties() {
    return z.record(z.string(), Schema).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), Schema]).optional();
  },
});
type Schema = z.infer<typeof Schema>;

/** Each setting with its description in the JSON Schema, and what a project may do with it. */
export function settingTable(): string {
  const root = Schema.parse(settingsJsonSchema());
  return formatTable(
    ["setting", "meaning", "in a project"],
    Object.entries(PROJECT_USE).map(([setting, use]) => [
      `\`${setting.replaceAll("*", "NAME")}\``,
      formatCell(descriptionOf(root, setting)),
      use,
    ]),
  );
}

/** The description of a setting, or of the nearest setting around it that has one. */
function descriptionOf(root: Schema, setting: string): string {
  let schema: Schema | undefined = root;
  let description: string | undefined;
  for (const name of setting.split(".")) {
    schema = name === "*" ? namedIn(schema) : schema?.properties?.[name];
    description = schema?.description ?? description;
  }
  if (schema === undefined || description === undefined)
    throw new Error(`Expected a description of the setting ${setting}.`);
  return description;
}

const namedIn = (schema: Schema | undefined): Schema | undefined =>
  typeof schema?.additionalProperties === "object" ? schema.additionalProperties : undefined;
