import type { Clock } from "../../ports/clock.ts";
import type { ServerBounds } from "../bounds.ts";
import { ServerError } from "../error.ts";

/** Bytes in a body above which a write waits for its reader: as many as in a stream of Node.js. */
const QUEUE_BYTES = 16 * 1024;

/** The connection that a response is sent over. */
export interface Connection {
  /** Reset the connection. Absent: the body fails instead. */
  readonly reset?: () => void;
}

export interface ResponseStreamOptions {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "stallMs">;
}

/** The streamed body of a response. Writing waits for a slow reader, so that nothing accumulates here. */
export class ResponseStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: ResponseStreamOptions;
  readonly #encoder = new TextEncoder();
  readonly #waiting = new Set<() => void>();
  readonly #closed = new Set<() => void>();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(options: ResponseStreamOptions) {
    this.#options = options;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#wake(),
        cancel: () => this.#close(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_BYTES }),
    );
  }

  /** Call the listener when the reader disconnects, or is disconnected. */
  onClose(listener: () => void): void {
    this.#closed.add(listener);
  }

  /** Resolves once the reader takes more: false if it has disconnected, or took nothing for `stallMs`. */
  async write(text: string): Promise<boolean> {
    this.#controller?.enqueue(this.#encoder.encode(text));
    return this.#hasRoom || this.#taken();
  }

  /** Write a text that may be skipped if the reader is slow. */
  writeIfIdle(text: string): void {
    if (this.#hasRoom) this.#controller?.enqueue(this.#encoder.encode(text));
  }

  end(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }

  /** Disconnect the reader. It can't take the body for complete. */
  cut(reason: ServerError): void {
    const controller = this.#controller;
    if (controller === undefined) return;
    this.#close();
    const { reset } = this.#options.connection;
    if (reset === undefined) controller.error(reason);
    else reset();
  }

  get #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  #taken(): Promise<boolean> {
    const { clock, bounds } = this.#options;
    if (this.#controller === undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      const cancelTimer = clock.after(bounds.stallMs, () => this.cut(stalled(bounds.stallMs)));
      this.#waiting.add(() => {
        cancelTimer();
        resolve(this.#controller !== undefined);
      });
    });
  }

  #close(): void {
    this.#controller = undefined;
    this.#wake();
    for (const listener of this.#closed) listener();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

const stalled = (stallMs: number): ServerError =>
  new ServerError(
    "READER_STALLED",
    `Expected the reader of the stream to take something within ${stallMs} ms, the limit \`stallMs\`. Reconnect with Last-Event-ID.`,
  );
