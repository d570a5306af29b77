import * as z from "zod/mini";
import { parseJson } from "../machines/message/json.ts";
import type { Call, TitlePart } from "./calls.ts";

const text = z.optional(z.string());
const callSchema = z.object({
  type: z.enum(["use_mcp_tool", "access_mcp_resource"]),
  serverName: z.string(),
  toolName: text,
  uri: text,
  arguments: text,
});
const argumentsSchema = z.record(z.string(), z.unknown());
type McpCall = z.output<typeof callSchema>;

/** Parse the text of a `use_mcp_server` message; undefined for a text of another form. */
export function parseMcpCall(message: string): Call | undefined {
  const { data } = callSchema.safeParse(parseJson(message));
  if (data === undefined) return undefined;
  const call = { tool: "use_mcp_server", title: titleOf(data), paths: [] };
  if (data.type === "access_mcp_resource") return { ...call, content: { kind: "none" } };
  const { arguments: given = "" } = data;
  const fields = argumentsSchema.safeParse(parseJson(given)).data;
  return { ...call, content: { kind: "arguments", given, ...(fields !== undefined && { fields }) } };
}

function titleOf({ type, serverName, toolName = "?", uri }: McpCall): readonly TitlePart[] {
  const server = quoteSpaced(serverName);
  if (type === "use_mcp_tool") return [{ kind: "value", text: `${server}/${quoteSpaced(toolName)}` }];
  const verb = uri === undefined ? "List the resources" : "Read the resource";
  return [
    { kind: "verb", text: verb },
    ...(uri === undefined ? [] : [{ kind: "value", text: quoteSpaced(uri) } as const]),
    { kind: "value", word: "of", text: server },
  ];
}

const quoteSpaced = (name: string): string => (/[\s"]/.test(name) ? JSON.stringify(name) : name);
