import { once } from "node:events";
import { createConnection, createServer, type Server, type Socket } from "node:net";

/** `open`: data passes. `slow`: each piece is late. `silent`: nothing passes, and no connection ends. `cut`: no connections. */
export type ProxyMode = "open" | "slow" | "silent" | "cut";

/** Delay of each piece of data while the proxy is slow, in ms. */
const SLOW_MS = 300;

/** A proxy on TCP before the socket of a server. */
export class FaultyProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #mode: ProxyMode = "open";

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(socket: string): Promise<FaultyProxy> {
    const server = createServer();
    const proxy = new FaultyProxy(server);
    server.on("connection", (client) => {
      if (proxy.#mode === "cut") client.destroy();
      else proxy.#connect(client, createConnection(socket));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    return `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  set mode(mode: ProxyMode) {
    this.#mode = mode;
    for (const pair of this.#pairs) {
      if (mode === "cut") pair.destroy();
      else pair.flush();
    }
  }

  async close(): Promise<void> {
    this.mode = "cut";
    this.#server.close();
    await once(this.#server, "close");
  }

  #connect(client: Socket, upstream: Socket): void {
    const pair = new Pair(client, upstream, () => this.#mode);
    this.#pairs.add(pair);
    client.on("close", () => this.#pairs.delete(pair));
  }
}

/** A connection through the proxy. Data that is held back keeps its order. */
class Pair {
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #mode: () => ProxyMode;
  readonly #held: { readonly to: Socket; readonly data: Buffer }[] = [];

  constructor(client: Socket, upstream: Socket, mode: () => ProxyMode) {
    this.#client = client;
    this.#upstream = upstream;
    this.#mode = mode;
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.on("data", (data) => this.#pass(upstream, data));
    upstream.on("data", (data) => this.#pass(client, data));
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  }

  destroy(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }

  /** Send what is held back, unless the proxy is silent. */
  flush(): void {
    while (this.#mode() !== "silent") {
      const next = this.#held.shift();
      if (next === undefined) return;
      if (!next.to.destroyed) next.to.write(next.data);
    }
  }

  #pass(to: Socket, data: Buffer): void {
    this.#held.push({ to, data });
    if (this.#mode() === "slow") setTimeout(() => this.flush(), SLOW_MS);
    else this.flush();
  }
}
