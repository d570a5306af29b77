import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { createFolder } from "../../store/files/create-folder.ts";
import { PRIVATE_FOLDER } from "../../store/files/data-folder.ts";
import { replaceFile } from "../../store/files/replace-file.ts";
import { systemCode } from "../../store/files/system-code.ts";

/** The result of a login. All of it is secret. */
const Login = z.object({
  /** The authorization server: no other gets the refresh token. */
  authorizationServer: z.string(),
  /** The server that the tokens are for, as it names itself (RFC 8707). */
  resource: z.string().optional(),
  /** How the authorization server knows the client. */
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
  tokens: z.object({
    access_token: z.string(),
    token_type: z.string(),
    refresh_token: z.string().optional(),
    scope: z.string().optional(),
  }),
  /** Scopes that the server asked for since, separated by spaces. */
  neededScope: z.string().optional(),
});
export type McpLogin = z.infer<typeof Login>;

/** A server by its name and its URL: with another URL it has no login. */
export interface McpLoginKey {
  readonly name: string;
  readonly url: string;
}

/** Logins to MCP servers, which outlast this process. */
export interface McpLogins {
  get(server: McpLoginKey): Promise<McpLogin | undefined>;
  set(server: McpLoginKey, login: McpLogin): Promise<void>;
  /** Remove the logins to the servers of this name, with whatever URL. Returns whether there was one. */
  remove(name: string): Promise<boolean>;
}

const LoginFile = z.object({ version: z.literal(1), name: z.string(), url: z.string(), login: Login });

/**
 * Logins in a folder, one file each, readable by their owner only. Each request reads the file, so that a login, and tokens that
 * another process renewed, take effect at once.
 *
 * @throws Error from each method if a file can't be read
 */
export function fileLogins(folder: string): McpLogins {
  const fileOf = ({ name, url }: McpLoginKey) => path.join(folder, `${digest(name)}-${digest(url)}.json`);
  return {
    get: async (server) => (await readLogin(fileOf(server)))?.login,
    async set({ name, url }, login) {
      createFolder(folder, PRIVATE_FOLDER);
      await replaceFile(fileOf({ name, url }), `${JSON.stringify({ version: 1, name, url, login })}\n`);
    },
    async remove(name) {
      const files = (await filesIn(folder)).filter((file) => file.startsWith(`${digest(name)}-`));
      await Promise.all(files.map((file) => rm(path.join(folder, file))));
      return files.length > 0;
    },
  };
}

/** Names may have characters that names of files can't. */
const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

async function readLogin(file: string): Promise<z.infer<typeof LoginFile> | undefined> {
  try {
    return LoginFile.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    // Without a cause: that would quote the file.
    throw new Error(`${file}: expected a login to an MCP server. Remove the file, and log in again.`);
  }
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
