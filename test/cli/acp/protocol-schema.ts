import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";

const file = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json");
const definitions = z.looseObject({
  $defs: z.record(
    z.string(),
    z.looseObject({ "x-method": z.string().optional(), "x-side": z.string().optional() }),
  ),
});
const schema = definitions.parse(JSON.parse(readFileSync(file, "utf8")));

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(schema, "acp");

const message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

/** A message as it stands on the wire. */
export type WireMessage = z.output<typeof message>;

/**
 * Parses a line of an agent, and checks it against the protocol's JSON Schema: a request or a notification by its
 * method, a response by the method of its request.
 */
export function parseAgentLine(
  line: string,
  methodOf: (id: WireMessage["id"]) => string | undefined,
): WireMessage {
  const parsed = message.parse(JSON.parse(line));
  const { id, method, params, result, error } = parsed;
  if (method !== undefined) {
    const name = method.startsWith("$/") ? "protocol" : "client";
    validate(definitionOf(method, name, /(Request|Notification)$/), params);
  } else if (error !== undefined) validate("Error", error);
  else validate(definitionOf(methodOf(id) ?? `response ${id}`, "agent", /Response$/), result);
  return parsed;
}

function definitionOf(method: string, side: string, name: RegExp): string {
  const found = Object.entries(schema.$defs).find(
    ([key, value]) => value["x-method"] === method && value["x-side"] === side && name.test(key),
  );
  if (found === undefined)
    throw new Error(`The protocol has no ${String(name)} of ${method} for the ${side}.`);
  return found[0];
}

function validate(definition: string, value: unknown): void {
  const check = ajv.getSchema(`acp#/$defs/${definition}`);
  if (check?.(value) === true) return;
  throw new Error(
    `Not a ${definition}: ${JSON.stringify(value).slice(0, 2_000)}\n${ajv.errorsText(check?.errors)}`,
  );
}
