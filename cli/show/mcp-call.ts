import * as z from "zod/mini";
import { parseJson } from "../../machines/message/json.ts";

/** Maximum characters of arguments in the title of a call. Longer ones are its body. */
const INLINE_CHARS_MAX = 80;

const text = z.optional(z.string());
const callSchema = z.object({
  type: z.enum(["use_mcp_tool", "access_mcp_resource"]),
  serverName: z.string(),
  toolName: text,
  uri: text,
  arguments: text,
});
const argumentsSchema = z.record(z.string(), z.unknown());

/** A call of an MCP server, for people. */
export interface McpCallText {
  /** Such as `Call files/list_directory`. */
  readonly question: string;
  /** Such as `files/list_directory path: .`. */
  readonly title: string;
  /** The arguments, where they are not in the title. */
  readonly body: readonly string[];
}

/** Format the text of a `use_mcp_server` message; undefined for a text of another form. */
export function formatMcpCall(message: string | null | undefined): McpCallText | undefined {
  const { data } = callSchema.safeParse(parseJson(message ?? ""));
  if (data === undefined) return undefined;
  const { serverName, toolName, uri } = data;
  if (data.type === "access_mcp_resource") {
    const title =
      uri === undefined
        ? `List the resources of ${quoteSpaced(serverName)}`
        : `Read the resource ${quoteSpaced(uri)} of ${quoteSpaced(serverName)}`;
    return { question: title, title, body: [] };
  }
  const target = `${quoteSpaced(serverName)}/${quoteSpaced(toolName ?? "?")}`;
  const lines = formatArguments(data.arguments ?? "");
  const inline = lines.join(", ");
  const isInline = inline.length <= INLINE_CHARS_MAX && !lines.some((line) => line.startsWith(" "));
  return {
    question: `Call ${target}`,
    title: isInline && inline !== "" ? `${target} ${inline}` : target,
    body: isInline ? [] : lines,
  };
}

/** A line for each argument; a text of several lines is indented below its name. Arguments that were cut are as they are. */
function formatArguments(given: string): readonly string[] {
  const { data } = argumentsSchema.safeParse(parseJson(given));
  if (data === undefined) return given === "" ? [] : given.split("\n");
  return Object.entries(data).flatMap(([name, value]) =>
    typeof value === "string" && value.includes("\n")
      ? [
          `${name}:`,
          ...value
            .replace(/\n$/, "")
            .split("\n")
            .map((line) => `  ${line}`),
        ]
      : [`${name}: ${formatValue(value)}`],
  );
}

const quoteSpaced = (name: string): string => (/[\s"]/.test(name) ? JSON.stringify(name) : name);

/** A text in quotes where it could be taken for more than one argument. */
const formatValue = (value: unknown): string =>
  typeof value === "string" && /^[\w./~@+-]+$/.test(value) ? value : JSON.stringify(value);
