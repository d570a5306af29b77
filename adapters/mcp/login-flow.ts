import { auth, computeScopeUnion, OAuthErrorCode } from "@modelcontextprotocol/client";
import { unlessAborted } from "../../actors/protocol/unless-aborted.ts";
import type { Clock } from "../../ports/clock.ts";
import { type Challenge, LoginNeeded, loginProblem } from "./authorization.ts";
import { authorizationFetch } from "./authorization-fetch.ts";
import { openClient } from "./client.ts";
import { McpLoginError } from "./login-error.ts";
import { LoginProvider } from "./login-provider.ts";
import type { McpLogin } from "./logins.ts";
import type { McpEndpoint, McpLimits } from "./options.ts";
import type { RedirectListener } from "./redirect-listener.ts";

interface FlowParts {
  readonly name: string;
  readonly server: McpEndpoint;
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly signal: AbortSignal;
}

/** The challenge of the server to a client without a login. Empty for one that lets it in. @throws McpLoginError */
export async function challengeOf({ server, signal, ...parts }: FlowParts): Promise<Challenge> {
  const open = openClient(server, { ...parts, cwd: process.cwd() });
  try {
    const { connection } = await open({ lost: () => {}, listChanged: () => {} }, signal);
    await connection.close();
    return {};
  } catch (error) {
    if (error instanceof LoginNeeded) return error.challenge;
    throw new McpLoginError(`The server can't be asked how to log in: ${loginProblem(error)}`, {
      cause: error,
    });
  }
}

interface AuthorizeParts extends FlowParts {
  readonly open: (address: URL) => void;
  readonly state: string;
  readonly redirect: RedirectListener;
  readonly challenge: Challenge;
  readonly earlier: McpLogin | undefined;
}

/** Send the person to the authorization server, and exchange the code that comes back. @throws McpLoginError */
export async function authorize(parts: AuthorizeParts): Promise<McpLogin> {
  const { server, redirect, challenge, earlier, signal } = parts;
  const provider = new LoginProvider({ ...parts, redirectUrl: redirect.url });
  const scope = computeScopeUnion(
    server.oauth?.scopes?.join(" ") ?? challenge.scope,
    earlier?.tokens.scope,
    earlier?.neededScope,
  );
  const { resourceMetadataUrl } = challenge;
  const options = {
    serverUrl: server.url,
    ...(scope !== undefined && { scope }),
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    fetchFn: authorizationFetch(server.url, parts),
  };
  try {
    await auth(provider, options);
    const answer = await unlessAborted(signal, () => redirect.answer);
    await auth(provider, { ...options, ...codeOf(answer) });
  } catch (error) {
    if (error instanceof McpLoginError) throw error;
    throw new McpLoginError(`The login failed. ${loginProblem(error)}`, { cause: error });
  }
  if (provider.login === undefined) throw new Error("Expected tokens after a login.");
  return provider.login;
}

/** The code of a redirect, and the issuer that it names, which is compared before the code is sent. */
function codeOf(answer: URLSearchParams): { readonly authorizationCode: string; readonly iss?: string } {
  const authorizationCode = answer.get("code");
  const iss = answer.get("iss");
  if (authorizationCode !== null) return { authorizationCode, ...(iss !== null && { iss }) };
  // No other text of the redirect is shown: anybody may have written it.
  const isDenied = answer.get("error") === OAuthErrorCode.AccessDenied;
  throw new McpLoginError(
    isDenied ? "The login was denied." : "The authorization server sent the person back without a code.",
  );
}
