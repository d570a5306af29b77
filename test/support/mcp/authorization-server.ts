import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

/** What the authorization server does wrong. */
export type AuthorizationFault =
  | "names another issuer in its metadata"
  | "names another issuer in its redirect"
  | "names no issuer in its redirect, though it announces one"
  | "changes the state"
  | "redirects without a code"
  | "denies the login"
  | "sends garbage in place of tokens"
  | "sends an endless response"
  | "sends no response"
  | "rejects the code, and repeats what it was sent"
  | "rejects a renewal, and repeats what it was sent";

/** An MCP server of 2026-07-28 that needs a login, and its authorization server, at one origin. */
export interface AuthorizedServer extends AsyncDisposable {
  readonly url: string;
  /** All tokens, codes and verifiers that were sent to and by the authorization server. */
  readonly secrets: ReadonlySet<string>;
  /** The bodies of the requests of tokens. */
  readonly grants: readonly URLSearchParams[];
  /** Scopes that the authorization requests asked for. */
  readonly scopes: readonly (string | null)[];
  /** Let the access token that is valid expire. */
  expire(): void;
  fault: AuthorizationFault | undefined;
}

export async function authorizedServer(fault?: AuthorizationFault): Promise<AuthorizedServer> {
  const server = new Authorized(fault);
  await new Promise<void>((resolve) => server.http.listen(0, "127.0.0.1", resolve));
  return server;
}

/** A person who logs in: the browser follows each redirect. Returns the last page. */
export const logIn = async (address: URL): Promise<string> => (await fetch(address)).text();

class Authorized implements AuthorizedServer {
  readonly secrets = new Set<string>();
  readonly grants: URLSearchParams[] = [];
  readonly scopes: (string | null)[] = [];
  fault: AuthorizationFault | undefined;
  readonly http = createServer((request, response) => void this.#route(request, response));
  readonly #mcp = createMcpHandler(() => this.#tools());
  readonly #codes = new Map<string, URLSearchParams>();
  #access: { readonly token: string; readonly scope: string } | undefined;
  #refresh: string | undefined;

  constructor(fault: AuthorizationFault | undefined) {
    this.fault = fault;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  expire(): void {
    this.#access = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mcp.close();
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.origin);
    const body = request.method === "POST" ? await text(request) : "";
    if (pathname === "/mcp") return this.#serve(request, body, response);
    if (pathname === "/.well-known/oauth-protected-resource/mcp")
      return json(response, 200, { resource: this.url, authorization_servers: [this.origin] });
    if (pathname === "/.well-known/oauth-authorization-server") return json(response, 200, this.#metadata());
    if (pathname === "/register")
      return json(response, 201, { ...JSON.parse(body), client_id: "registered-client" });
    if (pathname === "/authorize") return this.#authorize(searchParams, response);
    if (pathname === "/token") return this.#grant(new URLSearchParams(body), response);
    return json(response, 404, {});
  }

  #metadata(): object {
    return {
      issuer: this.fault === "names another issuer in its metadata" ? "https://evil.example" : this.origin,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #authorize(request: URLSearchParams, response: ServerResponse): void {
    this.scopes.push(request.get("scope"));
    const code = this.#secret("code");
    this.#codes.set(code, request);
    const answer = new URL(request.get("redirect_uri") ?? "");
    const isDenied = this.fault === "denies the login";
    if (isDenied) answer.searchParams.set("error", "access_denied");
    else if (this.fault !== "redirects without a code") answer.searchParams.set("code", code);
    const state = this.fault === "changes the state" ? "forged" : (request.get("state") ?? "");
    answer.searchParams.set("state", state);
    if (this.fault !== "names no issuer in its redirect, though it announces one")
      answer.searchParams.set(
        "iss",
        this.fault === "names another issuer in its redirect" ? "https://evil.example" : this.origin,
      );
    response.writeHead(302, { location: answer.href }).end();
  }

  #grant(grant: URLSearchParams, response: ServerResponse): unknown {
    this.grants.push(grant);
    this.secrets.add(grant.get("code_verifier") ?? "no verifier");
    const isRenewal = grant.get("grant_type") === "refresh_token";
    switch (this.fault) {
      case "sends garbage in place of tokens":
        return response.writeHead(200, { "content-type": "application/json" }).end(`<p>${grant}</p>`);
      case "sends an endless response":
        return response.writeHead(200).write("x".repeat(100_000));
      case "sends no response":
        return undefined;
      case "rejects the code, and repeats what it was sent":
        return json(response, 400, { error: "invalid_grant", error_description: String(grant) });
      case "rejects a renewal, and repeats what it was sent":
        if (isRenewal) return json(response, 400, { error: String(grant), error_description: String(grant) });
        break;
    }
    const asked = isRenewal ? undefined : this.#codes.get(grant.get("code") ?? "");
    const isValid = isRenewal ? grant.get("refresh_token") === this.#refresh : isProved(asked, grant);
    if (!isValid) return json(response, 400, { error: "invalid_grant" });
    this.#codes.clear();
    this.#access = { token: this.#secret("access"), scope: asked?.get("scope") ?? "" };
    this.#refresh = this.#secret("refresh");
    return json(response, 200, {
      access_token: this.#access.token,
      token_type: "Bearer",
      refresh_token: this.#refresh,
      scope: this.#access.scope,
    });
  }

  #serve(request: IncomingMessage, body: string, response: ServerResponse): unknown {
    const metadata = `resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp"`;
    const { authorization, "mcp-name": tool } = request.headers;
    if (this.#access === undefined || authorization !== `Bearer ${this.#access.token}`)
      return response.writeHead(401, { "www-authenticate": `Bearer ${metadata}, scope="read"` }).end();
    if (tool === "admin" && !this.#access.scope.split(" ").includes("admin"))
      return response
        .writeHead(403, {
          "www-authenticate": `Bearer error="insufficient_scope", scope="admin", ${metadata}`,
        })
        .end();
    const listen = getRequestListener((incoming) => this.#mcp.fetch(incoming));
    return listen(Object.assign(request, { rawBody: Buffer.from(body) }), response);
  }

  #tools(): McpServer {
    const server = new McpServer(
      { name: "authorized", version: "1" },
      { capabilities: { tools: { listChanged: false } } },
    );
    for (const name of ["repeat", "admin"])
      server.registerTool(name, {}, () => ({
        content: [{ type: "text", text: `Your token is ${this.#access?.token}.` }],
      }));
    return server;
  }

  #secret(kind: string): string {
    const secret = `${kind}-${randomUUID()}`;
    this.secrets.add(secret);
    return secret;
  }
}

/** Whether who exchanges a code is who asked for it: PKCE with SHA-256. */
function isProved(asked: URLSearchParams | undefined, grant: URLSearchParams): boolean {
  const verifier = createHash("sha256")
    .update(grant.get("code_verifier") ?? "")
    .digest("base64url");
  return asked?.get("code_challenge") === verifier && asked.get("redirect_uri") === grant.get("redirect_uri");
}

function json(response: ServerResponse, status: number, body: object): unknown {
  return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
