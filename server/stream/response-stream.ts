import type { ServerResponse } from "node:http";
import type { Clock } from "../../ports/clock.ts";
import type { ServerBounds } from "../bounds.ts";

/** A streamed HTTP response. Writing waits for a slow reader, so that nothing accumulates here. */
export class ResponseStream {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #stallMs: number;
  #isClosed: boolean;

  constructor(
    response: ServerResponse,
    { clock, bounds }: { clock: Clock; bounds: Pick<ServerBounds, "stallMs"> },
  ) {
    this.#response = response;
    this.#clock = clock;
    this.#stallMs = bounds.stallMs;
    this.#isClosed = response.closed;
    response.once("close", () => {
      this.#isClosed = true;
    });
    // A reader that disconnects during a write is no error of the server.
    response.on("error", () => undefined);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  onClose(listener: () => void): void {
    this.#response.once("close", listener);
  }

  start(headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(200, headers);
    this.#response.flushHeaders();
  }

  /** Resolves once the connection takes more: false if it is closed, or its reader took nothing for `stallMs`. */
  async write(text: string): Promise<boolean> {
    if (this.#isClosed) return false;
    if (this.#response.write(text)) return true;
    return this.#drained();
  }

  /** Write a text that may be skipped if the connection is busy. */
  writeIfIdle(text: string): void {
    if (!this.#isClosed && !this.#response.writableNeedDrain) this.#response.write(text);
  }

  end(): void {
    if (!this.#isClosed) this.#response.end();
  }

  #drained(): Promise<boolean> {
    const response = this.#response;
    return new Promise((resolve) => {
      const settle = (isOpen: boolean): void => {
        cancelTimer();
        response.off("drain", onDrain);
        response.off("close", onClose);
        resolve(isOpen);
      };
      const onDrain = (): void => settle(true);
      const onClose = (): void => settle(false);
      const cancelTimer = this.#clock.after(this.#stallMs, () => response.destroy());
      response.once("drain", onDrain);
      response.once("close", onClose);
    });
  }
}
