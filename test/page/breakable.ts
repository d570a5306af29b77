import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A connection to a server on this machine that a test cuts and repairs. Its own address stays the same. */
export class BreakableConnection {
  /** The port of the server behind it. */
  target: number;
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.port = port;
    this.target = target;
    server.on("connection", (socket) => this.#join(socket));
  }

  static async open(target: number): Promise<BreakableConnection> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The connection has no port.");
    return new BreakableConnection(server, address.port, target);
  }

  async cut(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async repair(): Promise<void> {
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.cut();
  }

  #join(socket: Socket): void {
    const behind = connect(this.target, "127.0.0.1");
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
