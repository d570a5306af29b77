import { z } from "zod";
import { STDIN_COMMANDS, stdinCommandSchema } from "../../wire/ndjson/command.ts";
import { formatCell } from "./docstrings.ts";
import { formatTable } from "./format-table.ts";

/** The commands of NDJSON with their fields, a `?` behind those that may be absent. */
export function stdinTable(): string {
  const schemas = new Map(stdinCommandSchema.options.map((option) => [option.shape.command.value, option]));
  return formatTable(
    ["command", "fields", "effect"],
    STDIN_COMMANDS.map((name) => {
      const schema = schemas.get(name);
      if (schema?.description === undefined) throw new Error(`Expected a description of ${name}.`);
      return [`\`${name}\``, fieldsOf(schema).join(", "), formatCell(schema.description)];
    }),
  );
}

/** Fields that each command has. */
const COMMON = new Set(["command", "requestId"]);

function fieldsOf(schema: z.ZodType): readonly string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.keys(properties)
    .filter((name) => !COMMON.has(name))
    .map((name) => (required.includes(name) ? `\`${name}\`` : `\`${name}?\``));
}
