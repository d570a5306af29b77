import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { fileLogins, loginMcp } from "../../../adapters/index.ts";
import type { McpToolDefinition } from "../../../adapters/mcp/connection.ts";
import type { McpEndpoint } from "../../../adapters/mcp/options.ts";
import type { McpServer } from "../../../adapters/mcp/server.ts";
import type { ElicitationAnswer, ElicitationRequest } from "../../../machines/message/elicitation.ts";
import { ToolError } from "../../../tools/index.ts";
import { logIn } from "../../support/mcp/authorization-server.ts";
import { connected } from "../../support/mcp/servers.ts";

/** The client that the conformance tool of the protocol starts with the URL of its server: it calls each tool once. */
const Context = z.looseObject({
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  toolCalls: z
    .array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }))
    .default([]),
});
const context = Context.parse(JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}"));
/** The metadata document that the tool expects where its authorization server takes one. */
const METADATA_DOCUMENT = "https://conformance-test.local/client-metadata.json";
/** Logins for one request: the first one, and those for more scopes. */
const LOGINS_MAX = 3;
const never = new AbortController().signal;

const folder = mkdtempSync(path.join(tmpdir(), "mcp-conformance-"));
const logins = fileLogins(folder);
const isDocument = process.env.MCP_CONFORMANCE_SCENARIO === "auth/basic-cimd";
const { client_id: clientId = isDocument ? METADATA_DOCUMENT : undefined, client_secret: clientSecret } =
  context;
const endpoint: McpEndpoint = {
  url: process.argv.at(-1) ?? "",
  ...(clientId !== undefined && {
    oauth: { clientId, ...(clientSecret !== undefined && { clientSecret }) },
  }),
};

async function login(): Promise<void> {
  const opened: Promise<string>[] = [];
  await loginMcp({ name: "s", server: endpoint, logins, open: (address) => opened.push(logIn(address)) });
  await Promise.all(opened);
}

/** Do it, and log in each time that it fails for want of a login. */
async function withLogins<T>(work: () => Promise<T>): Promise<T> {
  for (let count = 0; ; count += 1) {
    try {
      return await work();
    } catch (error) {
      if (count === LOGINS_MAX || !String(error).includes("signalbox mcp login")) throw error;
      await login();
    }
  }
}

type Call = z.infer<typeof Context>["toolCalls"][number];

const SAMPLES: Readonly<Record<string, unknown>> = { number: 3, integer: 3, boolean: true, string: "text" };
const Properties = z.record(z.string(), z.looseObject({ type: z.string().optional() }));

/** A call whose arguments fit the schema; a tool that takes a schema gets the schema of the first tool. */
function sampleOf({ name, inputSchema }: McpToolDefinition, first: McpToolDefinition | undefined): Call {
  const properties = Properties.safeParse(inputSchema.properties).data ?? {};
  const values = Object.entries(properties).map(([property, { type = "string" }]) => [
    property,
    type === "object" ? first?.inputSchema : SAMPLES[type],
  ]);
  return { name, arguments: Object.fromEntries(values) };
}

/** A person who confirms what a form proposes. */
async function confirm(request: ElicitationRequest): Promise<ElicitationAnswer> {
  if (request.mode === "url") return { action: "accept" };
  const fields = Object.entries(request.requestedSchema.properties);
  const proposed = fields.flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default]],
  );
  return { action: "accept", content: Object.fromEntries(proposed) };
}

async function call(server: McpServer, { name, arguments: input }: Call): Promise<void> {
  try {
    await withLogins(async () => {
      const connection = await server.connection(never);
      await connection.callTool(name, input, { signal: never, elicit: { from: "s", ask: confirm } });
    });
  } catch (error) {
    // A scenario may answer a call with an error: the model gets it, and the task goes on.
    if (!(error instanceof ToolError)) throw error;
    console.error(error.message);
  }
}

try {
  await using server = await connected(endpoint, { logins });
  await withLogins(() => server.connection(never));
  const { tools } = server.listing;
  const samples = tools.map((tool) => sampleOf(tool, tools[0]));
  for (const each of context.toolCalls.length > 0 ? context.toolCalls : samples) await call(server, each);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
