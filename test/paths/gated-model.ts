import { createServer, type ServerResponse } from "node:http";

/** An event of a response, with the fields of its type. */
export interface ModelEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A model endpoint whose responses are sent event by event, by `send` and `end`. */
export class GatedModel {
  readonly #server = createServer((_, response) => this.#open(response));
  #response: ServerResponse | undefined;
  #opened: (() => void) | undefined;
  #requests = 0;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("Expected a port.");
    return `http://127.0.0.1:${address.port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Resolves when the next request is open. */
  request(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#response !== undefined) return resolve();
      this.#opened = resolve;
    });
  }

  send(...events: readonly ModelEvent[]): void {
    for (const event of events)
      this.#response?.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  end(stopReason: "end_turn" | "tool_use"): void {
    this.send(
      { type: "message_delta", delta: { stop_reason: stopReason }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    );
    this.#response?.end();
    this.#response = undefined;
  }

  #open(response: ServerResponse): void {
    this.#requests += 1;
    this.#response = response;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const message = {
      id: `msg_${this.#requests}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-6",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 9, output_tokens: 1 },
    };
    this.send({ type: "message_start", message });
    this.#opened?.();
    this.#opened = undefined;
  }
}
