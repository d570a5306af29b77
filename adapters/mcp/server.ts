import { createActor, waitFor } from "xstate";
import type { Clock } from "../../ports/clock.ts";
import { ToolError } from "../../tools/error.ts";
import { type McpConnection, type McpListing, type OpenConnection, SessionLost } from "./connection.ts";
import type { McpLimits } from "./options.ts";
import { type ServerActor, type ServerSnapshot, serverMachine } from "./server.machine.ts";

/** The connection to a server, as it is now. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: "connecting" | "ready" | "waiting" | "failed" | "closed";
  /** Revision of the protocol, while it is ready. */
  readonly protocol?: string;
  readonly tools: number;
  /** The reason why it is not ready, or the newest failure since. */
  readonly reason?: string;
}

export interface McpServerParts {
  readonly clock: Clock;
  readonly limits: McpLimits;
  readonly open: OpenConnection;
}

/** One server: an actor that keeps its connection, and what is called through it. */
export class McpServer {
  readonly name: string;
  readonly #actor: ServerActor;
  readonly #closing = new Set<Promise<void>>();

  /** It connects at once. */
  constructor(name: string, { clock, limits, open }: McpServerParts) {
    this.name = name;
    this.#actor = createActor(serverMachine, {
      input: { open, limits, closing: this.#closing },
      clock: {
        setTimeout: (fire: () => void, ms: number) => clock.after(ms, fire),
        clearTimeout: (cancel: () => void) => cancel(),
      },
    });
    this.#actor.start();
  }

  get status(): McpServerStatus {
    const snapshot = this.#actor.getSnapshot();
    const { connection, listing, reason = listing.problems.join(" ") } = snapshot.context;
    return {
      name: this.name,
      state: stateOf(snapshot),
      tools: listing.tools.length,
      ...(connection !== undefined && { protocol: connection.protocol }),
      ...(reason !== "" && { reason }),
    };
  }

  get listing(): McpListing {
    return this.#actor.getSnapshot().context.listing;
  }

  /** Called after every change of the status or of the list, until it is closed. */
  onChange(notify: () => void): void {
    this.#actor.subscribe(notify);
  }

  /** Resolves when it does not connect: it is ready, or the attempt failed. */
  async settled(): Promise<void> {
    await waitFor(this.#actor, (snapshot) => stateOf(snapshot) !== "connecting", FOR_EVER);
  }

  /**
   * The open connection. Without one, it connects.
   *
   * @throws ToolError `FAILED` with the reason why there is none
   * @throws the reason of `signal`
   */
  async connection(signal: AbortSignal): Promise<McpConnection> {
    this.#actor.send({ type: "connection.needed" });
    const isSettled = (snapshot: ServerSnapshot) => stateOf(snapshot) !== "connecting";
    const snapshot = await waitFor(this.#actor, isSettled, { ...FOR_EVER, signal });
    const { connection, reason = "It was closed." } = snapshot.context;
    if (connection !== undefined) return connection;
    throw new ToolError(
      "FAILED",
      `The MCP server '${this.name}' is not connected. ${reason} The call was not sent.`,
    );
  }

  /**
   * Use the open connection; once more a new one, where the server no longer has the session: it has not accepted what was
   * sent.
   *
   * @throws as {@link connection}, and the errors of `use`
   */
  async use<T>(signal: AbortSignal, use: (connection: McpConnection) => Promise<T>): Promise<T> {
    try {
      return await use(await this.connection(signal));
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
    }
    return use(await this.connection(signal));
  }

  /** Close the connection, and terminate its process with all that it started. */
  async close(): Promise<void> {
    if (this.#actor.getSnapshot().status === "active") this.#actor.send({ type: "server.closed" });
    await Promise.allSettled(this.#closing);
  }
}

const FOR_EVER = { timeout: Number.POSITIVE_INFINITY };

function stateOf(snapshot: ServerSnapshot): McpServerStatus["state"] {
  if (snapshot.matches({ connected: "connecting" })) return "connecting";
  if (snapshot.matches("connected")) return "ready";
  if (snapshot.matches("waiting")) return "waiting";
  return snapshot.matches("failed") ? "failed" : "closed";
}
