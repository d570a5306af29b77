import { randomBytes } from "node:crypto";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import { McpLoginError } from "./login-error.ts";
import type { McpLogins } from "./logins.ts";
import { MCP_LIMITS, type McpEndpoint, type McpLimits } from "./options.ts";
import { listenForRedirect } from "./redirect-listener.ts";

export interface McpLoginOptions {
  /** The name of the server, as in `McpOptions.servers`. */
  readonly name: string;
  readonly server: McpEndpoint;
  readonly logins: McpLogins;
  /** Called with the address at which a person logs in, for a browser of this machine. */
  readonly open: (address: URL) => void;
  /** Ends the login. */
  readonly signal?: AbortSignal;
  readonly limits?: Partial<McpLimits>;
  /** The clock; pass another one in tests. */
  readonly clock?: Clock;
}

/**
 * Log a person in to an MCP server by OAuth (authorization code, PKCE), and keep the tokens in `logins`. Resolves when the
 * person has come back from the authorization server to a loopback address of this process.
 *
 * @throws McpLoginError
 * @throws the reason of `signal`
 */
export async function loginMcp(options: McpLoginOptions): Promise<void> {
  const { name, server, logins, open, clock = systemClock, signal: outer } = options;
  const limits = { ...MCP_LIMITS, ...options.limits };
  const { authorize, challengeOf } = await import("./login-flow.ts");
  const late = new AbortController();
  const cancel = clock.after(limits.loginTimeoutMs, () =>
    late.abort(new McpLoginError(`Nobody logged in within ${limits.loginTimeoutMs} ms.`)),
  );
  const signal = outer === undefined ? late.signal : AbortSignal.any([outer, late.signal]);
  const state = randomBytes(32).toString("base64url");
  const redirect = await listenForRedirect(state);
  try {
    const parts = { name, server, clock, limits, signal };
    const challenge = await challengeOf(parts);
    const earlier = await logins.get({ name, url: server.url });
    const login = await authorize({ ...parts, open, state, redirect, challenge, earlier });
    await logins.set({ name, url: server.url }, login);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    cancel();
    await redirect.close();
  }
}
