import { OAuthErrorCode } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Clock } from "../../ports/clock.ts";
import { proxiedFetch } from "../../tools/web/proxy.ts";
import type { McpLimits } from "./options.ts";

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface AuthorizationFetchOptions {
  readonly clock: Clock;
  readonly limits: Pick<McpLimits, "authorizationTimeoutMs" | "authorizationBytes">;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Requests to the authorization server of an MCP server. Responses are bounded, and a server over HTTPS can't name an address
 * without it. A rejected request of a token ends the flow with a text of our own: the client would print and repeat what came.
 *
 * @throws Error from a request, whose message has nothing that a server sent
 */
export function authorizationFetch(server: string, options: AuthorizationFetchOptions): Fetch {
  const { authorizationTimeoutMs, authorizationBytes } = options.limits;
  return async (address, init) => {
    const url = new URL(address);
    assertSecure(url, server);
    const late = new AbortController();
    const reason = unanswered(url, `within ${authorizationTimeoutMs} ms`);
    const cancel = options.clock.after(authorizationTimeoutMs, () => late.abort(reason));
    const signals = [late.signal, ...(options.signal === undefined ? [] : [options.signal])];
    try {
      const response = await proxiedFetch(url, { ...init, signal: AbortSignal.any(signals) });
      const text = await textOf(response, authorizationBytes, url);
      if (init?.method === "POST") assertAnswered(url, response.status, text);
      return new Response(response.body && text, response);
    } finally {
      cancel();
    }
  };
}

/** @throws Error for a URL without TLS, unless the server itself has none: then it is one for development */
export function assertSecure(url: URL, server: string): void {
  if (url.protocol === "https:" || (url.protocol === "http:" && new URL(server).protocol === "http:")) return;
  throw new Error(`Expected an https address for the login, received ${JSON.stringify(url.origin)}.`);
}

async function textOf({ body }: Response, maxBytes: number, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw unanswered(url, `with at most ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const Answer = z.looseObject({ error: z.string().optional() });
const CODES: ReadonlySet<string> = new Set(Object.values(OAuthErrorCode));

/** @throws Error for a response that is not one of success */
function assertAnswered(url: URL, status: number, text: string): void {
  const { data: answer } = Answer.safeParse(parsed(text));
  if (status < 400 && answer === undefined) throw unanswered(url, "with a JSON object");
  if (status < 400 && answer?.error === undefined) return;
  // Only codes of the standard are shown: other text of the server may have what it was sent.
  const code = answer?.error !== undefined && CODES.has(answer.error) ? `, ${answer.error}` : "";
  throw new Error(`${url.host} rejected the request: HTTP ${status}${code}.`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const unanswered = (url: URL, how: string): Error => new Error(`${url.host} did not answer ${how}.`);
