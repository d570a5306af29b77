import path from "node:path";
import type { McpOAuth, McpServerOptions } from "../adapters/mcp/options.ts";
import type { SandboxOptions } from "../adapters/sandbox/options.ts";
import { parseDocument } from "./document.ts";
import { entriesOf, type SettingEntry } from "./entry.ts";
import type { ResolvedSettings } from "./resolve.ts";
import { McpFile, type McpServer } from "./schema.ts";
import type { ProjectFiles } from "./trust.ts";

/** The files of a project with MCP servers, besides its settings. Of two servers with one name, the last counts. */
export const PROJECT_MCP_FILES = [".roo/mcp.json", ".mcp.json"] as const;

/**
 * The MCP servers in the files that a project has for several programs. They are for a trusted project only.
 *
 * @throws SettingsError `SETTINGS_INVALID`
 */
export async function mcpServersIn({ folder, texts }: ProjectFiles): Promise<readonly SettingEntry[]> {
  const found = PROJECT_MCP_FILES.map(async (name) => {
    const text = texts[name];
    if (text === undefined) return [];
    const document = await parseDocument(text, path.join(folder, name), McpFile);
    return entriesOf({ ...document, value: { version: 1, ...document.value } }, name, "project");
  });
  return (await Promise.all(found)).flat();
}

/** The MCP servers of the settings, for `connectMcp`. */
export interface SelectedMcpServers {
  readonly servers: Readonly<Record<string, McpServerOptions>>;
  /** The reasons why others can't be used: a sentence each. */
  readonly problems: readonly string[];
}

/**
 * The MCP servers of the settings. `${NAME}` in their texts is the environment variable, `${NAME:-text}` the text where it
 * is not set. `accesses` are for the servers that run in the sandbox, from `selectSandbox`.
 */
export function selectMcpServers(
  { settings, entries }: Pick<ResolvedSettings, "settings" | "entries">,
  env: Readonly<Record<string, string | undefined>>,
  accesses: SandboxOptions = {},
): SelectedMcpServers {
  const servers: Record<string, McpServerOptions> = {};
  const problems: string[] = [];
  for (const [name, server] of Object.entries(settings.mcpServers ?? {})) {
    if (server.disabled === true) continue;
    const missing = new Set<string>();
    const expanded = expandServer(server, (text) => expand(text, env, missing));
    if (missing.size === 0 && expanded !== undefined)
      servers[name] = server.sandbox === true ? contained(expanded, accesses) : expanded;
    else {
      const origin = entries.find(({ path: at }) => at[0] === "mcpServers" && at[1] === name)?.origin;
      problems.push(`${origin}: the MCP server ${name} is left out: ${problemOf(missing)}`);
    }
  }
  return { servers, problems };
}

const contained = (server: McpServerOptions, sandbox: SandboxOptions): McpServerOptions =>
  "command" in server ? { ...server, sandbox } : server;

const problemOf = (missing: ReadonlySet<string>): string =>
  missing.size === 0
    ? "expected an http or https URL. Correct it."
    : `expected the environment variable ${[...missing].join(", ")}, which is not set. Set it, or disable the server.`;

function expand(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  missing: Set<string>,
): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    const value = env[name] || fallback;
    if (value === undefined) missing.add(name);
    return value ?? "";
  });
}

/** Undefined for a URL that is not one. */
function expandServer(server: McpServer, of: (text: string) => string): McpServerOptions | undefined {
  const { command, args, env, cwd, url, headers, oauth, timeout, disabledTools } = server;
  const common = { ...(timeout !== undefined && { timeout }), ...(disabledTools && { disabledTools }) };
  const all = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, of(text)]));
  if (command !== undefined)
    return {
      ...common,
      command: of(command),
      ...(args && { args: args.map(of) }),
      ...(env && { env: all(env) }),
      ...(cwd !== undefined && { cwd: of(cwd) }),
    };
  const target = of(url ?? "");
  if (!URL.canParse(target) || !/^https?:$/.test(new URL(target).protocol)) return undefined;
  return {
    ...common,
    url: target,
    ...(headers && { headers: all(headers) }),
    ...(oauth && { oauth: expandOAuth(oauth, of) }),
  };
}

const expandOAuth = (
  { clientId, clientSecret, issuer, scopes }: NonNullable<McpServer["oauth"]>,
  of: (text: string) => string,
): McpOAuth => ({
  ...(clientId !== undefined && { clientId: of(clientId) }),
  ...(clientSecret !== undefined && { clientSecret: of(clientSecret) }),
  ...(issuer !== undefined && { issuer: of(issuer) }),
  ...(scopes && { scopes }),
});
