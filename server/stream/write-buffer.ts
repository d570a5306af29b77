import type { Clock } from "../../ports/clock.ts";
import type { ServerBounds } from "../bounds.ts";
import type { ResponseStream } from "./response-stream.ts";

type Bounds = Pick<ServerBounds, "chunkChars" | "coalesceMs">;

/** Coalesce texts into writes: a single text is written at once, those that follow soon are written together. */
export class WriteBuffer {
  readonly #stream: Pick<ResponseStream, "write">;
  readonly #clock: Clock;
  readonly #bounds: Bounds;
  #text = "";
  #writtenAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<boolean> = Promise.resolve(true);
  #cancelTimer: (() => void) | undefined;

  constructor(stream: Pick<ResponseStream, "write">, { clock, bounds }: { clock: Clock; bounds: Bounds }) {
    this.#stream = stream;
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Resolves once more may be added: false if the connection is closed. */
  async add(text: string): Promise<boolean> {
    this.#text += text;
    if (this.#text.length >= this.#bounds.chunkChars) this.#write();
    return this.#writing;
  }

  /** Nothing more is added for now: the buffered text may be written. */
  pause(): void {
    if (this.#text === "" || this.#cancelTimer !== undefined) return;
    const waitMs = this.#writtenAt + this.#bounds.coalesceMs - this.#clock.now();
    if (waitMs <= 0) this.#write();
    else this.#cancelTimer = this.#clock.after(waitMs, () => this.#write());
  }

  /** Write the rest. */
  async end(): Promise<void> {
    this.#write();
    await this.#writing;
  }

  #write(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    this.#writtenAt = this.#clock.now();
    this.#writing = this.#stream.write(text);
  }
}
