import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";

const fileOf = (name: string): string =>
  createRequire(import.meta.url).resolve(`@agentclientprotocol/sdk/schema/v1/${name}`);
const definitions = z.looseObject({
  $defs: z.record(
    z.string(),
    z.looseObject({ "x-method": z.string().optional(), "x-side": z.string().optional() }),
  ),
});
const schemaIn = (name: string) => definitions.parse(JSON.parse(readFileSync(fileOf(name), "utf8")));

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
const schemas = { stable: schemaIn("schema.json"), unstable: schemaIn("schema.unstable.json") };
for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema, name);

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
    if (isUnstable(params)) validate("unstable#/$defs/SessionNotification", params);
    else validate(definitionOf(method, name, /(Request|Notification)$/), params);
  } else if (error !== undefined) validate("stable#/$defs/Error", error);
  else validate(definitionOf(methodOf(id) ?? `response ${id}`, "agent", /Response$/), result);
  return parsed;
}

const unstableUpdate = z.object({
  update: z.object({ sessionUpdate: z.enum(["subagent_update", "session_message"]) }),
});

/** Whether these are the parameters of an update that the stable protocol does not have. */
const isUnstable = (params: unknown): boolean => unstableUpdate.safeParse(params).success;

/** The definition of the stable protocol; of the unstable one where that has none. */
function definitionOf(method: string, side: string, name: RegExp): string {
  for (const [version, schema] of Object.entries(schemas)) {
    const found = Object.entries(schema.$defs).find(
      ([key, value]) => value["x-method"] === method && value["x-side"] === side && name.test(key),
    );
    if (found !== undefined) return `${version}#/$defs/${found[0]}`;
  }
  throw new Error(`The protocol has no ${String(name)} of ${method} for the ${side}.`);
}

function validate(definition: string, value: unknown): void {
  const check = ajv.getSchema(definition);
  if (check?.(value) === true) return;
  throw new Error(
    `Not a ${definition}: ${JSON.stringify(value).slice(0, 2_000)}\n${ajv.errorsText(check?.errors)}`,
  );
}
