import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { PageAccess } from "../../ports/browser.ts";
import { ToolError } from "../../tools/error.ts";
import { REPLY, readRequest, type SocksRequest, sendReply } from "./socks.ts";

export interface ProxyOptions {
  readonly access: PageAccess;
  /** Called with the host of a connection that was refused. */
  readonly onRefused: (host: string) => void;
}

/** The proxy of one browser: all its connections go through it, and only permitted ones are made. */
export interface PageProxy {
  readonly port: number;
  /** Close it with all its connections. */
  close(): void;
}

/** Open a SOCKS proxy on a free port of 127.0.0.1. It connects to the address that it has checked. */
export async function openProxy({ access, onRefused }: ProxyOptions): Promise<PageProxy> {
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on("close", () => clients.delete(client));
    // A connection may break at any time: the other one is closed as well.
    client.on("error", () => {});
    serve(client, access, onRefused).catch(() => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new ToolError("FAILED", `The proxy of the browser has no port: ${address}. Try again.`);
  return {
    port: address.port,
    close() {
      server.close();
      for (const client of clients) client.destroy();
    },
  };
}

/** Rejects when one of the two connections breaks, which the page sees. */
async function serve(
  client: Socket,
  access: PageAccess,
  onRefused: ProxyOptions["onRefused"],
): Promise<void> {
  const request = await readRequest(client);
  const url = urlOf(request);
  const refuse = (): void => {
    onRefused(request.host);
    sendReply(client, REPLY.refused);
    client.end();
  };
  if (url === undefined || !access.mayConnect(url)) return refuse();
  const server = connect({ ...request, lookup: access.lookup(url) });
  try {
    await once(server, "connect");
  } catch (error) {
    if (error instanceof ToolError && error.code === "PRIVATE_ADDRESS") return refuse();
    sendReply(client, REPLY.unreachable);
    client.end();
    return;
  }
  sendReply(client, REPLY.connected);
  await pipeline(client, server, client);
}

function urlOf({ host, port }: SocksRequest): URL | undefined {
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return URL.canParse(url) ? new URL(url) : undefined;
}
