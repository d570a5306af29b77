import {
  AuthorizationServerMismatchError,
  type AuthProvider,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  refreshAuthorization,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import { messageOf } from "../../tools/error.ts";
import { type AuthorizationFetchOptions, authorizationFetch } from "./authorization-fetch.ts";
import { McpConnectionError } from "./connection.ts";
import type { McpLogin, McpLoginKey, McpLogins } from "./logins.ts";
import type { McpEndpoint } from "./options.ts";

export interface AuthorizationOptions extends AuthorizationFetchOptions {
  readonly name: string;
  readonly logins?: McpLogins | undefined;
}

/** The challenge of a server to a client without a login. */
export type Challenge = Pick<
  ReturnType<typeof extractWWWAuthenticateParams>,
  "scope" | "resourceMetadataUrl"
>;

/** A server can't be used before a person has logged in. */
export class LoginNeeded extends McpConnectionError {
  readonly challenge: Challenge;
  constructor(message: string, challenge: Challenge) {
    super(message, { isFinal: true });
    this.challenge = challenge;
  }
}

/** A call needs more than the login gave. The connection stays. */
export class ScopeNeeded extends Error {}

/** Characters of a scope in a message. */
const SCOPE_SHOWN_MAX = 200;

/** The login to a server during a run: it is renewed without a person, and a person is never asked. */
export class ServerAuthorization implements AuthProvider {
  readonly #server: McpEndpoint;
  readonly #options: AuthorizationOptions;
  /** The renewal that runs: a refresh token may be valid only once. */
  #renewal: Promise<void> | undefined;

  constructor(server: McpEndpoint, options: AuthorizationOptions) {
    this.#server = server;
    this.#options = options;
  }

  async token(): Promise<string | undefined> {
    return (await this.#read())?.tokens.access_token;
  }

  /** @throws McpConnectionError that says why there is no new token, and how to log in */
  onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    this.#renewal ??= this.#renew(extractWWWAuthenticateParams(response)).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** The error of a request that the server rejected whatever the token was. */
  rejected(): McpConnectionError {
    return new McpConnectionError(this.#withCommand("It rejected the login."), { isFinal: true });
  }

  /** Keep the scope that a call needs for the next login. Returns the error of the call. */
  async needsScope(scope = ""): Promise<ScopeNeeded> {
    const login = await this.#read();
    const neededScope = computeScopeUnion(login?.neededScope, scope);
    if (login !== undefined && neededScope !== undefined) await this.#write({ ...login, neededScope });
    const needed =
      scope === "" ? "another scope" : `the scope ${JSON.stringify(scope.slice(0, SCOPE_SHOWN_MAX))}`;
    return new ScopeNeeded(this.#withCommand(`It needs ${needed}.`));
  }

  async #renew(challenge: Challenge): Promise<void> {
    const login = await this.#read();
    if (login === undefined) throw new LoginNeeded(this.#withCommand("It needs a login."), challenge);
    const { refresh_token: refreshToken } = login.tokens;
    if (refreshToken === undefined)
      throw new LoginNeeded(this.#withCommand("The login has expired."), challenge);
    try {
      const tokens = await this.#refresh(login, refreshToken);
      await this.#write({ ...login, tokens: { ...login.tokens, ...tokens } });
    } catch (error) {
      const newest = await this.#read();
      if (newest !== undefined && newest.tokens.access_token !== login.tokens.access_token) return;
      const why = `The login could not be renewed. ${loginProblem(error)}`;
      // Another process may have renewed it, and is about to write it: a later attempt reads that.
      throw new McpConnectionError(this.#withCommand(why), { isFinal: false });
    }
  }

  get #key(): McpLoginKey {
    return { name: this.#options.name, url: this.#server.url };
  }

  async #read(): Promise<McpLogin | undefined> {
    return this.#options.logins?.get(this.#key);
  }

  async #write(login: McpLogin): Promise<void> {
    await this.#options.logins?.set(this.#key, login);
  }

  async #refresh({ authorizationServer, client, resource }: McpLogin, refreshToken: string) {
    const fetchFn = authorizationFetch(this.#server.url, this.#options);
    const metadata = await discoverAuthorizationServerMetadata(authorizationServer, { fetchFn });
    return refreshAuthorization(authorizationServer, {
      ...(metadata !== undefined && { metadata }),
      clientInformation: client,
      refreshToken,
      ...(resource !== undefined && { resource }),
      fetchFn,
    });
  }

  #withCommand(why: string): string {
    return `${why} To log in: signalbox mcp login ${this.#options.name}`;
  }
}

/** The reason why a request to an authorization server failed, without any text that an attacker may have sent. */
export function loginProblem(error: unknown): string {
  if (error instanceof IssuerMismatchError)
    return `${JSON.stringify(error.expected)} was expected, and another authorization server answered.`;
  if (error instanceof AuthorizationServerMismatchError)
    return "The server uses another authorization server than the one that the client is registered with.";
  if (error instanceof SyntaxError || error instanceof z.core.$ZodError)
    return "The authorization server sent metadata that is not valid.";
  return error instanceof Error && error.cause instanceof Error
    ? loginProblem(error.cause)
    : messageOf(error);
}
