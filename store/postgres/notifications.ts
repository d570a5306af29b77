import type { Clock } from "../../ports/clock.ts";
import type { Connection, Database } from "./database.ts";

export interface NotificationsOptions {
  readonly database: Database;
  /** Letters, digits and "_". */
  readonly channel: string;
  readonly clock: Clock;
  /** Time between two checks that the connection works, in ms. Default 10,000. */
  readonly checkMs?: number;
  readonly onNotification: (payload: string) => void;
  /** Called once notifications arrive: earlier ones are lost. */
  readonly onListening: () => void;
}

/** Time until the first try to connect again, in ms. Each further one waits twice as long. */
const RETRY_MS = 50;
const RETRY_MAX_MS = 5_000;
const CHECK_MS = 10_000;

type Phase =
  | { readonly kind: "connecting" }
  | { readonly kind: "listening"; readonly client: Connection; readonly cancel: () => void }
  | { readonly kind: "waiting"; readonly cancel: () => void }
  | { readonly kind: "closed" };

/**
 * Listens to a channel by a connection of its own, and connects again when it is lost. A connection pooler in transaction mode
 * passes no notifications on: connect to the server itself.
 */
export class Notifications {
  readonly #options: NotificationsOptions;
  #phase: Phase = { kind: "connecting" };
  /** Connections that failed since the last one that listened. */
  #failures = 0;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    void this.#connect();
  }

  async close(): Promise<void> {
    const phase = this.#phase;
    this.#phase = { kind: "closed" };
    if (phase.kind === "listening" || phase.kind === "waiting") phase.cancel();
    if (phase.kind === "listening") await phase.client.end();
  }

  async #connect(): Promise<void> {
    const { database, channel } = this.#options;
    this.#phase = { kind: "connecting" };
    let client: Connection | undefined;
    try {
      client = await database.connect();
      const connected = client;
      client.on("notification", ({ payload = "" }) => this.#options.onNotification(payload));
      client.on("end", () => this.#lost(connected));
      await client.query(`LISTEN "${channel}"`);
      this.#listen(client);
    } catch {
      // The next try follows: the statements of others report what is wrong with the database.
      if (client !== undefined) void end(client);
      this.#retry();
    }
  }

  #listen(client: Connection): void {
    if (this.#phase.kind === "closed") {
      void end(client);
      return;
    }
    this.#failures = 0;
    this.#watch(client);
    this.#options.onListening();
  }

  /** Check the connection from time to time: a network that is cut reports nothing. */
  #watch(client: Connection): void {
    const { clock, checkMs = CHECK_MS } = this.#options;
    const cancel = clock.after(checkMs, () => this.#check(client), { keepsAlive: false });
    this.#phase = { kind: "listening", client, cancel };
  }

  #check(client: Connection): void {
    client.query("SELECT 1").then(
      () => {
        if (this.#isListening(client)) this.#watch(client);
      },
      () => {
        void end(client);
        this.#lost(client);
      },
    );
  }

  #lost(client: Connection): void {
    if (!this.#isListening(client)) return;
    if (this.#phase.kind === "listening") this.#phase.cancel();
    this.#retry();
  }

  #retry(): void {
    if (this.#phase.kind === "closed") return;
    const delay = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    const cancel = this.#options.clock.after(delay, () => void this.#connect(), { keepsAlive: false });
    this.#phase = { kind: "waiting", cancel };
  }

  #isListening(client: Connection): boolean {
    return this.#phase.kind === "listening" && this.#phase.client === client;
  }
}

/** A connection that is broken may fail to end. */
const end = (client: Connection): Promise<void> => client.end().catch(() => undefined);
