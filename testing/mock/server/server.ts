import { once } from "node:events";
import { createServer } from "node:http";
import { isLoopback } from "../protocol/http.ts";
import type { MockScript } from "../script/script.ts";
import { handler } from "./handler.ts";
import { type MockOptions, type MockRequest, Recorder } from "./record.ts";

/** A running mock server. */
export interface MockServer {
  /** The base URL for clients. */
  readonly url: string;
  readonly port: number;
  /** The newest requests, oldest first: at most 1000, and at most 64 MiB of bodies. */
  readonly requests: readonly MockRequest[];
  /** Close all connections, and resolve when the port is free. */
  close(): Promise<void>;
}

/**
 * Start a server of the Messages API with responses from a script.
 *
 * @throws the system's error (EADDRINUSE, EACCES) if it cannot listen
 * @example
 * const mock = await startMock(parseScript("- text: Hello."));
 * const client = new Anthropic({ baseURL: mock.url, apiKey: "any" });
 * // ...
 * await mock.close();
 */
export async function startMock(script: MockScript, options: MockOptions = {}): Promise<MockServer> {
  const { host = "127.0.0.1", port = 0 } = options;
  const recorder = new Recorder();
  const handle = handler(script, options, isLoopback(host), recorder);
  const server = createServer((request, response) => void handle(request, response));
  // Keep connections open for clients that reuse them.
  server.keepAliveTimeout = 60_000;
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    requests: recorder.requests,
    async close() {
      const closed = server.listening ? once(server, "close") : undefined;
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
