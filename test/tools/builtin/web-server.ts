import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";

const FIXTURES = "test/fixtures/tls";
/** The certificate of the servers, which signs itself: of page.test, the hosts below it, bücher.test and 127.0.0.1. */
export const CERTIFICATE = readFileSync(`${FIXTURES}/certificate.pem`, "utf8");

/** A server on this machine. */
export interface WebServer {
  readonly port: number;
  /** The paths of its requests. */
  readonly requests: readonly string[];
  /** Connections that were made to it. */
  readonly connections: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Start a server on a free port of 127.0.0.1. */
export async function serve(
  listener: RequestListener,
  protocol: "http" | "https" = "http",
): Promise<WebServer> {
  const requests: string[] = [];
  let connections = 0;
  const onRequest: RequestListener = (request, response) => {
    requests.push(request.url ?? "");
    response.on("error", () => {});
    listener(request, response);
  };
  const server =
    protocol === "http"
      ? createHttpServer(onRequest)
      : createHttpsServer({ cert: CERTIFICATE, key: readFileSync(`${FIXTURES}/key.pem`) }, onRequest);
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
