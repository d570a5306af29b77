import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse, STATUS_CODES } from "node:http";
import type { ListenOptions, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../../tools/error.ts";
import { connectTo, hopOf } from "./host-connection.ts";
import { HostRules, isPrivateAddress } from "./host-rules.ts";

/** The HTTP proxy of one command. */
export interface HostProxy {
  /** The hosts that it did not connect to. */
  readonly blocked: readonly string[];
  /** Resolves with the first connection. */
  readonly reached: Promise<void>;
  /** Its port, if it listens on one. */
  readonly port: number | undefined;
  /** Close it with all its connections. */
  close(): Promise<void>;
}

/** Where a proxy listens. On a port, which all users reach, it serves only requests with its password. */
export type ProxyPlace = { readonly path: string } | { readonly password: string };

/** The user of a proxy with a password. */
export const PROXY_USER = "signalbox";

/**
 * Open a proxy that connects only to hosts of some patterns, on a socket with a path or on a port of the loopback. Where the
 * environment names a proxy, its connections go through that one.
 */
export async function openHostProxy(place: ProxyPlace, hosts: readonly string[]): Promise<HostProxy> {
  const rules = new HostRules(hosts);
  const connections = new Set<Duplex>();
  const isKnown = ({ headers }: IncomingMessage): boolean =>
    "path" in place || headers["proxy-authorization"] === authorizationOf(place.password);
  const server = createServer((incoming, response) => {
    if (isKnown(incoming)) void forward(incoming, response, rules);
    else response.writeHead(407, UNKNOWN).end();
  });
  server.on("connection", (socket) => {
    connections.add(socket);
    // A connection may break at any time: the other one is closed as well.
    socket.on("error", () => {});
    socket.on("close", () => connections.delete(socket));
  });
  server.on("connect", (incoming, client, head) => {
    if (isKnown(incoming)) void tunnel(incoming, client, head, rules);
    else client.end(`HTTP/1.1 407 ${STATUS_CODES[407]}\r\nProxy-Authenticate: Basic\r\n\r\n`);
  });
  const reached = new Promise<void>((resolve) => server.once("connection", () => resolve()));
  const listen: ListenOptions = "path" in place ? place : { host: "127.0.0.1", port: 0 };
  server.listen(listen);
  await once(server, "listening");
  const address = server.address();
  return {
    reached,
    port: typeof address === "object" ? address?.port : undefined,
    get blocked() {
      return rules.blocked;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

const UNKNOWN = { "proxy-authenticate": "Basic", connection: "close" };

const authorizationOf = (password: string): string =>
  `Basic ${Buffer.from(`${PROXY_USER}:${password}`).toString("base64")}`;

/** Forward a request of plain HTTP. Resolves when the response has ended. */
async function forward(incoming: IncomingMessage, response: ServerResponse, rules: HostRules): Promise<void> {
  const url = parse(incoming.url);
  try {
    if (url === undefined) throw new Error("Expected the URL of a host.");
    if (!rules.permits(url)) return refuse(response, url);
    const { "proxy-connection": _, "proxy-authorization": _own, ...headers } = incoming.headers;
    const hop = await hopOf(url, rules);
    const outgoing = request({ ...hop, method: incoming.method, headers: { ...headers, ...hop.headers } });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.on("response", resolve).on("error", reject);
    });
    const [answer] = await Promise.all([answered, pipeline(incoming, outgoing)]);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    await pipeline(answer, response);
  } catch (error) {
    if (url !== undefined && isPrivateAddress(error)) return refuse(response, rules.block(url));
    // Where a part of the response was sent, the command sees a connection that ends.
    if (response.headersSent) response.destroy();
    else response.writeHead(502, TEXT).end(`${messageOf(error)}\n`);
  }
}

const TEXT = { "content-type": "text/plain", connection: "close" };

const refuse = (response: ServerResponse, url: URL): void => {
  response.writeHead(403, TEXT).end(blockedText(url));
};

/** Connect a client with a host. Resolves when the connection has ended. */
async function tunnel(
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
  rules: HostRules,
): Promise<void> {
  const url = parse(`https://${incoming.url}`);
  const reject = (status: string, text: string): void => {
    client.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${text}`);
  };
  if (url === undefined) return reject("400 Bad Request", "Expected a host and a port.\n");
  if (!rules.permits(url)) return reject("403 Forbidden", blockedText(url));
  let server: Socket;
  try {
    server = await connectTo(url, rules);
  } catch (error) {
    if (isPrivateAddress(error)) return reject("403 Forbidden", blockedText(rules.block(url)));
    return reject("502 Bad Gateway", `${messageOf(error)}\n`);
  }
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  server.write(head);
  // Where one of the two connections breaks, both are closed: the command sees it.
  await pipeline(client, server, client).catch(() => client.destroy());
}

const blockedText = ({ hostname }: URL): string =>
  `The sandbox does not let this command reach ${hostname}. The user can add it to the setting sandbox.hosts.\n`;

const parse = (target: string | undefined): URL | undefined =>
  target !== undefined && URL.canParse(target) ? new URL(target) : undefined;
