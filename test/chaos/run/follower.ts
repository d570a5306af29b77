import { setTimeout as pause } from "node:timers/promises";
/** A server that streams can be read from, while it runs. */
export interface StreamSource {
  /** Undefined while it starts. */
  readonly address: { readonly url: string; readonly token: string } | undefined;
}

/** An event as a client saw it. */
export interface SeenEvent {
  readonly task: string;
  /** The number of the connection of this client, from 1. */
  readonly connection: number;
  readonly id: string;
  readonly data: unknown;
}

const RETRY_MS = 500;

/** A client that follows a task, at another server each time that its connection ends. */
export class Follower {
  readonly task: string;
  readonly #sources: readonly StreamSource[];
  readonly #onEvent: (event: SeenEvent) => void;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #lastId: string | undefined;
  connections = 0;

  constructor(task: string, sources: readonly StreamSource[], onEvent: (event: SeenEvent) => void) {
    this.task = task;
    this.#sources = sources;
    this.#onEvent = onEvent;
    this.#ended = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #follow(): Promise<void> {
    for (let attempt = hashOf(this.task); !this.#stop.signal.aborted; attempt += 1) {
      const address = this.#sources[attempt % this.#sources.length]?.address;
      // A server that is killed breaks the connection: the client connects again.
      if (address !== undefined) await this.#read(address).catch(() => undefined);
      if (!this.#stop.signal.aborted) await pause(RETRY_MS);
    }
  }

  async #read({ url, token }: { readonly url: string; readonly token: string }): Promise<void> {
    const response = await fetch(`${url}/api/tasks/${this.task}/events`, {
      signal: this.#stop.signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(this.#lastId !== undefined && { "last-event-id": this.#lastId }),
      },
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return;
    }
    this.connections += 1;
    let rest = "";
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      const texts = `${rest}${part}`.split("\n\n");
      rest = texts.pop() ?? "";
      for (const text of texts) this.#take(text);
    }
  }

  #take(text: string): void {
    const fields = new Map(
      text.split("\n").map((line) => {
        const end = line.indexOf(": ");
        return [line.slice(0, end), line.slice(end + 2)];
      }),
    );
    const id = fields.get("id");
    if (id === undefined) return;
    const event = {
      task: this.task,
      connection: this.connections,
      id,
      data: JSON.parse(fields.get("data") ?? ""),
    };
    this.#lastId = id;
    this.#onEvent(event);
  }
}

/** Spreads tasks over the servers. */
const hashOf = (text: string): number => [...text].reduce((sum, char) => sum + char.charCodeAt(0), 0);
