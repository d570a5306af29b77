import {
  InsufficientScopeError,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { ServerAuthorization } from "./authorization.ts";
import type { Fetch } from "./authorization-fetch.ts";
import type { McpEndpoint, McpLimits } from "./options.ts";
import { withoutSecret } from "./without-secret.ts";

/** Code of the error that a request ends with whose stream ended before its response. No server sends it. */
export const STREAM_ENDED = -1;

/**
 * Streamable HTTP. A request whose stream ends without a response ends with {@link STREAM_ENDED}: it is not sent again. One
 * event of a stream, and a response, is bounded.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #authorization: ServerAuthorization;

  constructor(
    { url, headers = {} }: McpEndpoint,
    { messageBytes }: Pick<McpLimits, "messageBytes">,
    authorization: ServerAuthorization,
  ) {
    super(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: boundedFetch(messageBytes),
      authProvider: authorization,
    });
    this.#authorization = authorization;
  }

  /** @throws McpConnectionError without a login that is valid; ScopeNeeded where it does not allow the request */
  override async send(
    ...[message, options]: Parameters<StreamableHTTPClientTransport["send"]>
  ): Promise<void> {
    try {
      await this.#send(message, options);
    } catch (error) {
      if (error instanceof InsufficientScopeError)
        throw await this.#authorization.needsScope(error.requiredScope);
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
  (maxBytes: number): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const secret = new Headers(init?.headers).get("authorization")?.split(" ").at(-1) ?? "";
    const body = response.body.pipeThrough(bounded(maxBytes)).pipeThrough(withoutSecret(secret));
    return new Response(body, response);
  };

/** Fails when more bytes come without the blank line that ends an event. */
function bounded(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const blank = Math.max(bytes.lastIndexOf("\n\n"), bytes.lastIndexOf("\n\r\n"));
      size = blank < 0 ? size + bytes.length : bytes.length - blank;
      if (size > maxBytes) controller.error(new Error(`expected messages of at most ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
