import type { Clock } from "../../actors/index.ts";
import type { ServerBounds } from "../bounds.ts";
import type { Outlet } from "./outlet.ts";

export interface GathererOptions {
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "chunkChars" | "gatherMs">;
}

/**
 * Hands texts to a connection in pieces: what comes alone at once, what comes soon after it together. A write costs more
 * than what is written.
 */
export class Gatherer {
  readonly #outlet: Pick<Outlet, "write">;
  readonly #clock: Clock;
  readonly #bounds: GathererOptions["bounds"];
  #text = "";
  #writtenAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<boolean> = Promise.resolve(true);
  #forget: (() => void) | undefined;

  constructor(outlet: Pick<Outlet, "write">, { clock, bounds }: GathererOptions) {
    this.#outlet = outlet;
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Resolves once more may come: false where the connection is over. */
  async add(text: string): Promise<boolean> {
    this.#text += text;
    if (this.#text.length >= this.#bounds.chunkChars) this.#write();
    return this.#writing;
  }

  /** Nothing more comes for a while: what is there may go. */
  pause(): void {
    if (this.#text === "" || this.#forget !== undefined) return;
    const waitMs = this.#writtenAt + this.#bounds.gatherMs - this.#clock.now();
    if (waitMs <= 0) this.#write();
    else this.#forget = this.#clock.after(waitMs, () => this.#write());
  }

  /** Hands on what is left. */
  async end(): Promise<void> {
    this.#write();
    await this.#writing;
  }

  #write(): void {
    this.#forget?.();
    this.#forget = undefined;
    if (this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    this.#writtenAt = this.#clock.now();
    this.#writing = this.#outlet.write(text);
  }
}
