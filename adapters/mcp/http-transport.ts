import {
  InsufficientScopeError,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { proxiedFetch } from "../../tools/web/proxy.ts";
import type { ServerAuthorization } from "./authorization.ts";
import type { Fetch } from "./authorization-fetch.ts";
import { type BoundedBodyOptions, boundedBody } from "./bounded-body.ts";
import { SessionLost } from "./connection.ts";
import type { McpEndpoint } from "./options.ts";
import { withoutSecret } from "./without-secret.ts";

/** Code of the error that a request ends with whose stream ended before its response. No server sends it. */
export const STREAM_ENDED = -1;

/**
 * Streamable HTTP. A request whose stream ends without a response ends with {@link STREAM_ENDED}: it is not sent again. One
 * event of a stream, and a response, is bounded.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  /** Called when the server no longer has the session, by the stream of its messages. */
  onSessionLost: () => void = () => {};
  readonly #authorization: ServerAuthorization;

  constructor(
    { url, headers = {} }: McpEndpoint,
    limits: BoundedBodyOptions["limits"],
    authorization: ServerAuthorization,
  ) {
    super(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: boundedFetch(limits, () => this.onSessionLost()),
      authProvider: authorization,
    });
    this.#authorization = authorization;
  }

  /**
   * @throws McpConnectionError without a login that is valid
   * @throws ScopeNeeded where the login does not allow the request
   * @throws SessionLost where the server no longer has the session: it has not accepted the message
   */
  override async send(
    ...[message, options]: Parameters<StreamableHTTPClientTransport["send"]>
  ): Promise<void> {
    try {
      await this.#send(message, options);
    } catch (error) {
      if (error instanceof InsufficientScopeError)
        throw await this.#authorization.needsScope(error.requiredScope);
      if (error instanceof SdkHttpError && error.status === 404 && this.sessionId !== undefined)
        throw new SessionLost();
      throw error instanceof SdkHttpError && error.status === 401 ? this.#authorization.rejected() : error;
    }
  }

  #send(...[message, options]: Parameters<StreamableHTTPClientTransport["send"]>): Promise<void> {
    return super.send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        // Nobody waits for it where the response has come.
        if ("id" in message && "method" in message && message.id !== undefined)
          this.onmessage?.({
            jsonrpc: "2.0",
            id: message.id,
            error: { code: STREAM_ENDED, message: "The stream ended before the response." },
          });
      },
    });
  }
}

const boundedFetch =
  (limits: BoundedBodyOptions["limits"], sessionLost: () => void): Fetch =>
  async (url, init) => {
    const response = await proxiedFetch(url, init);
    const headers = new Headers(init?.headers);
    const isStream = init?.method === "GET";
    if (isStream && response.status === 404 && headers.has("mcp-session-id")) sessionLost();
    if (response.body === null) return response;
    const secret = headers.get("authorization")?.split(" ").at(-1) ?? "";
    const isEvents = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const bounded = boundedBody({ limits, isEvents });
    return new Response(response.body.pipeThrough(bounded).pipeThrough(withoutSecret(secret)), response);
  };
