import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fileLogins, loginMcp, type McpLogins } from "../../../adapters/index.ts";
import type { McpLoginOptions } from "../../../adapters/mcp/login.ts";
import {
  type AuthorizationFault,
  type AuthorizedServer,
  authorizedServer,
  logIn,
} from "../../support/mcp/authorization-server.ts";
import { connected } from "../../support/mcp/servers.ts";
import { stillClock } from "../../support/still-clock.ts";

const never = new AbortController().signal;

let folder: string;
let logins: McpLogins;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mcp-login-"));
  logins = fileLogins(path.join(folder, "logins"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A person logs in. Returns the last page of the browser. */
async function login(server: AuthorizedServer, options: Partial<McpLoginOptions> = {}): Promise<string> {
  let page = Promise.resolve("");
  await loginMcp({
    name: "s",
    server: { url: server.url },
    logins,
    open: (address) => {
      page = logIn(address);
    },
    ...options,
  });
  return page;
}

const key = ({ url }: AuthorizedServer) => ({ name: "s", url });
const call = async (server: Awaited<ReturnType<typeof connected>>, tool: string) =>
  (await server.connection(never)).callTool(tool, {}, { signal: never });

/** The files of the logins. */
async function files(): Promise<readonly string[]> {
  return (await readdir(path.join(folder, "logins"))).map((name) => path.join(folder, "logins", name));
}

describe("a login", () => {
  test("by PKCE, state and issuer gives tokens, kept in a file of its owner", async () => {
    await using server = await authorizedServer();
    expect(await login(server)).toContain("go back to signalbox");
    await using mcp = await connected({ url: server.url }, { logins });
    expect(mcp.status).toMatchObject({ state: "ready", tools: 2 });
    const [file = "", ...others] = await files();
    expect(others).toEqual([]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, "utf8")).toContain(server.grants.length === 1 ? "access-" : "nothing");
  });

  test("is for one URL only, and is forgotten by the name of its server", async () => {
    await using server = await authorizedServer();
    await login(server);
    await using mcp = await connected({ url: `${server.url}?other` }, { logins });
    expect(mcp.status).toMatchObject({
      state: "failed",
      reason: "It needs a login. To log in: signalbox mcp login s",
    });
    expect([await logins.remove("other"), await logins.remove("s"), await logins.remove("s")]).toEqual([
      false,
      true,
      false,
    ]);
    expect(await logins.get(key(server))).toBeUndefined();
  });

  test("uses the client of the settings, and only at the issuer that it is registered with", async () => {
    await using server = await authorizedServer();
    const oauth = { clientId: "of-settings", clientSecret: "client-secret", scopes: ["own"] };
    const issuer = new URL(server.url).origin;
    await login(server, { server: { url: server.url, oauth: { ...oauth, issuer } } });
    expect(server.scopes).toEqual(["own"]);
    expect((await logins.get(key(server)))?.client.client_id).toBe("of-settings");
    const elsewhere = { url: server.url, oauth: { ...oauth, issuer: "https://login.example" } };
    await expect(login(server, { server: elsewhere })).rejects.toThrow(
      "another authorization server than the one that the client is registered with",
    );
    expect(server.grants).toHaveLength(1);
  });

  test("ends after a time, and when it is aborted; its listener is closed", async () => {
    await using server = await authorizedServer();
    const clock = stillClock();
    let opened: URL | undefined;
    const late = login(server, {
      clock,
      open: (address) => {
        opened = address;
        clock.advance(300_000);
      },
    });
    await expect(late).rejects.toThrow("Nobody logged in within 300000 ms.");
    // Nothing listens any more.
    await expect(fetch(opened?.searchParams.get("redirect_uri") ?? "")).rejects.toThrow("fetch failed");
    const abort = new AbortController();
    const aborted = login(server, { signal: abort.signal, open: () => abort.abort(new Error("Ctrl-C")) });
    await expect(aborted).rejects.toThrow("Ctrl-C");
    expect(await logins.get(key(server))).toBeUndefined();
  });

  const HOSTILE: Readonly<Partial<Record<AuthorizationFault, string>>> = {
    "names another issuer in its metadata": "another authorization server answered",
    "names another issuer in its redirect": "another authorization server answered",
    "names no issuer in its redirect, though it announces one": "another authorization server answered",
    "redirects without a code": "sent the person back without a code",
    "denies the login": "The login was denied.",
    "sends garbage in place of tokens": "did not answer with a JSON object",
    "sends an endless response": "did not answer with at most 50000 bytes",
    "sends no response": "did not answer within 200 ms",
    "rejects the code, and repeats what it was sent": "rejected the request: HTTP 400, invalid_grant.",
  };

  test.each(Object.entries(HOSTILE) as [AuthorizationFault, string][])(
    "at an authorization server that %s fails, without a secret in the message",
    async (fault, message) => {
      await using server = await authorizedServer(fault);
      const limits =
        fault === "sends no response" ? { authorizationTimeoutMs: 200 } : { authorizationBytes: 50_000 };
      const error: unknown = await login(server, { limits }).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "MCP_LOGIN_FAILED", message: expect.stringContaining(message) });
      for (const secret of server.secrets) expect(String(error)).not.toContain(secret);
      expect(String(error)).not.toContain("evil.example");
      expect(server.grants.length).toBeLessThanOrEqual(1);
      expect(await logins.get(key(server))).toBeUndefined();
    },
  );

  test("takes no redirect with another state, and waits on for its own", async () => {
    await using server = await authorizedServer("changes the state");
    const pages: string[] = [];
    await login(server, {
      open: async (address) => {
        pages.push(await logIn(address));
        server.fault = undefined;
        pages.push(await logIn(address));
      },
    });
    expect(pages).toEqual([
      expect.stringContaining("its state differs"),
      expect.stringContaining("go back to signalbox"),
    ]);
  });
});

describe("a server with a login", () => {
  test("gets a new token when the old one has expired, once for all calls that wait", async () => {
    await using server = await authorizedServer();
    await login(server);
    await using mcp = await connected({ url: server.url }, { logins });
    server.expire();
    await Promise.all([call(mcp, "repeat"), call(mcp, "repeat")]);
    expect(server.grants.map((grant) => grant.get("grant_type"))).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
    expect(mcp.status.state).toBe("ready");
  });

  test("uses the token that another process renewed in the meantime, also if it is written later", async () => {
    await using server = await authorizedServer();
    await login(server);
    const old = await logins.get(key(server));
    const clock = stillClock();
    let stale = 0;
    const late = { ...logins, get: async () => (stale-- > 0 ? old : logins.get(key(server))) };
    await using one = await connected({ url: server.url }, { logins });
    await using other = await connected({ url: server.url }, { logins: late, clock });
    server.expire();
    await call(one, "repeat");
    // For its request, and for its renewal.
    stale = 2;
    await call(other, "repeat");
    expect(server.grants).toHaveLength(3);
    server.expire();
    await call(one, "repeat");
    stale = 3;
    await expect(call(other, "repeat")).rejects.toThrow("could not be renewed");
    expect(other.status.state).toBe("waiting");
    clock.advance(500);
    await other.settled();
    expect(other.status.state).toBe("ready");
  });

  test("is not ready while the token can't be renewed, and ready again after a login", async () => {
    await using server = await authorizedServer("rejects a renewal, and repeats what it was sent");
    await login(server);
    await using mcp = await connected(
      { url: server.url },
      { logins, limits: { reconnects: 1 }, clock: stillClock() },
    );
    server.expire();
    const error: unknown = await call(mcp, "repeat").catch((reason: unknown) => reason);
    expect(String(error)).toMatch(
      /rejected the call: The login could not be renewed\. \S+ rejected the request: HTTP 400\. To log in: signalbox mcp login s$/,
    );
    expect(mcp.status).toMatchObject({
      state: "waiting",
      reason: expect.stringMatching(/^The login could not be renewed\./),
    });
    for (const secret of server.secrets) expect(JSON.stringify([error, mcp.status])).not.toContain(secret);
    await login(server);
    await call(mcp, "repeat");
    expect(mcp.status.state).toBe("ready");
  });

  test("that repeats its token gets it into no result", async () => {
    await using server = await authorizedServer();
    await login(server);
    await using mcp = await connected({ url: server.url }, { logins });
    expect(await call(mcp, "repeat")).toEqual({
      content: [{ type: "text", text: "Your token is [masked]." }],
    });
  });

  test("that needs another scope for a call says so, and the next login also asks for it", async () => {
    await using server = await authorizedServer();
    await login(server);
    await using mcp = await connected({ url: server.url }, { logins });
    await expect(call(mcp, "admin")).rejects.toThrow(
      'rejected the call: It needs the scope "admin". To log in: signalbox mcp login s',
    );
    expect(mcp.status.state).toBe("ready");
    await login(server);
    expect(server.scopes).toEqual(["read", "read admin"]);
    await call(mcp, "admin");
  });
});
