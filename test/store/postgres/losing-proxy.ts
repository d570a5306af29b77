import { once } from "node:events";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import type { Cluster } from "../../support/postgres.ts";

/** The message with which a server ends its answer to a statement. */
const READY = 0x5a;
const READY_BYTES = 6;

/**
 * The loss that the proxy causes once. `answer`: the answer to a statement with this tag, after the server has executed it.
 * `request`: a request with this text, before the server receives it. `connection`: the connection after such a request,
 * which the server receives later.
 */
type Loss =
  | { readonly lose: "answer"; readonly tag: string }
  | { readonly lose: "request" | "connection"; readonly text: string };

/** A proxy on TCP before a server. It breaks one connection when it was told to. */
export class LosingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #loss: Loss | undefined;
  #isInterrupted = false;
  #late: (() => Promise<void>) | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(cluster: Cluster): Promise<LosingProxy> {
    const server = createServer();
    const proxy = new LosingProxy(server);
    server.on("connection", (client) => {
      if (proxy.#isInterrupted) client.destroy();
      else proxy.#connect(client, createConnection(cluster.socket));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    return `postgres://postgres:secret-0123@127.0.0.1:${port}/postgres`;
  }

  lose(loss: Loss): void {
    this.#loss = loss;
  }

  /** Send what was held back to the server. Resolves once the server has answered. */
  async deliver(): Promise<void> {
    await this.#late?.();
  }

  /** Break all connections, and accept no others until `restore`. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.cut();
  }

  restore(): void {
    this.#isInterrupted = false;
  }

  /** Break all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #connect(client: Socket, upstream: Socket): void {
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
    }
    let isHeld = false;
    client.on("close", () => isHeld || upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.on("data", (data) => {
      const loss = this.#loss;
      if (loss === undefined || loss.lose === "answer" || !data.includes(loss.text)) {
        upstream.write(data);
        return;
      }
      this.#loss = undefined;
      isHeld = loss.lose === "connection";
      this.#late = async () => {
        const answered = once(upstream, "data");
        upstream.write(data);
        await answered;
        upstream.destroy();
      };
      client.destroy();
    });
    let answer = Buffer.alloc(0);
    upstream.on("data", (data) => {
      answer = Buffer.concat([answer, data]);
      if (answer.at(-READY_BYTES) !== READY && this.#loss?.lose === "answer") return;
      const whole = answer;
      answer = Buffer.alloc(0);
      if (this.#loss?.lose === "answer" && whole.includes(`${this.#loss.tag}`)) {
        this.#loss = undefined;
        client.destroy();
      } else if (!client.destroyed) client.write(whole);
    });
  }
}
