import { createHash } from "node:crypto";
import type { Input } from "../../machines/tool-call/call.ts";
import { argumentKeys } from "../../tools/argument-keys.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES } from "../../tools/descriptor.ts";
import type { RunPorts } from "../../tools/ports.ts";
import type { PreparedCall, Tool, ToolResult } from "../../tools/tool.ts";
import type { McpApprovals } from "./approvals.ts";
import type { McpProgress, McpToolDefinition } from "./connection.ts";
import { definitionDigest, modelDescription, modelSchema } from "./definition.ts";
import type { McpServer } from "./server.ts";

export interface ServerToolParts {
  readonly server: McpServer;
  /** The key of the server in the approvals. */
  readonly key: string;
  readonly approvals: McpApprovals;
  readonly descriptionBytes: number;
}

/**
 * A tool of a server, as the model calls it. Its annotations permit nothing: each call executes, runs alone and is never
 * repeated.
 */
export function serverTool(parts: ServerToolParts, definition: McpToolDefinition): Tool {
  const { server, descriptionBytes } = parts;
  const text = (input: Input, maxBytes?: number): string =>
    boundedDescriptor(
      {
        type: "use_mcp_tool",
        serverName: server.name,
        toolName: definition.name,
        arguments: JSON.stringify(input, undefined, 2),
      },
      maxBytes,
    );
  const digest = definitionDigest(definition);
  const { schema, original } = argumentKeys(modelSchema(definition));
  return {
    name: modelToolName(server.name, definition.name),
    displayName: `${server.name}/${definition.name}`,
    aliases: [],
    group: "mcp",
    description: modelDescription(server.name, definition, descriptionBytes),
    inputSchema: schema,
    effect: "executes",
    replayable: false,
    elicits: true,
    ask: "use_mcp_server",
    partial: (input) => text(original(input), PARTIAL_MAX_BYTES),
    prepare: (given) => {
      const input = original(given);
      return { ok: true, call: preparedCall(parts, definition, { input, digest, text: text(input) }) };
    },
  };
}

function preparedCall(
  { server, key, approvals }: ServerToolParts,
  { name }: McpToolDefinition,
  { input, digest, text }: { readonly input: Input; readonly digest: string; readonly text: string },
): PreparedCall {
  const tool = `${key}/${name}`;
  return {
    definition: digest,
    describe: async () => {
      const approved = approvals.get(tool);
      const changed = approved !== undefined && approved !== digest;
      return { text, paths: [], mcp: { server: server.name, tool: name, ...(changed && { changed }) } };
    },
    execute: async (ports) => {
      // The call has a decision, which is bound to this definition.
      await approvals.set(tool, digest);
      return callServer(server, name, input, ports);
    },
  };
}

async function callServer(
  server: McpServer,
  name: string,
  input: Input,
  {
    signal,
    progress,
    elicit,
    traceContext,
  }: Pick<RunPorts, "signal" | "progress" | "elicit" | "traceContext">,
): Promise<ToolResult> {
  const onProgress = (reported: McpProgress): void => progress({ text: formatProgress(reported) });
  const options = {
    signal,
    onProgress,
    traceContext: traceContext?.(),
    ...(elicit !== undefined && { elicit: { from: server.name, ask: elicit } }),
  };
  return server.use(signal, (connection) => connection.callTool(name, input, options));
}

const formatProgress = ({ progress, total, message }: McpProgress): string =>
  [total === undefined ? `${progress}` : `${progress}/${total}`, ...(message ? [message] : [])].join(" ");

/** Characters of a name that endpoints accept. */
const NAME_MAX_CHARS = 64;
const DIGEST_CHARS = 12;
/** No `__`, and no `_` at an end: so the first `__` of `server__tool` is between them. */
const PLAIN_SERVER = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;
const PLAIN_TOOL = /^[A-Za-z0-9_-]+$/;

/**
 * The name under which the model gets a tool of a server, of 1 to 64 letters, digits, `_` and `-`: `server__tool`, or, where
 * that is not possible or not unambiguous, `mcp-` with a digest of both names and what is left of them. No two tools have
 * the same name.
 */
export function modelToolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  if (PLAIN_SERVER.test(server) && PLAIN_TOOL.test(tool) && plain.length <= NAME_MAX_CHARS) return plain;
  const digest = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex");
  const rest = `${server}-${tool}`.replaceAll(/[^A-Za-z0-9-]+/g, "-");
  return `mcp-${digest.slice(0, DIGEST_CHARS)}-${rest}`.slice(0, NAME_MAX_CHARS);
}
