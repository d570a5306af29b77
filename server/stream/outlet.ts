import type { ServerResponse } from "node:http";
import type { Clock } from "../../actors/index.ts";
import type { ServerBounds } from "../bounds.ts";

/** A response that goes on. What it can't pass on at once it waits for, so that nothing piles up here. */
export class Outlet {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #stallMs: number;
  #isOver: boolean;

  constructor(
    response: ServerResponse,
    { clock, bounds }: { clock: Clock; bounds: Pick<ServerBounds, "stallMs"> },
  ) {
    this.#response = response;
    this.#clock = clock;
    this.#stallMs = bounds.stallMs;
    this.#isOver = response.closed;
    response.once("close", () => {
      this.#isOver = true;
    });
    // A reader that goes away in the middle of a write is none of our failures.
    response.on("error", () => undefined);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  onOver(listener: () => void): void {
    this.#response.once("close", listener);
  }

  begin(headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(200, headers);
    this.#response.flushHeaders();
  }

  /**
   * Resolves once the connection takes more: false where it is over, also because its reader took nothing for the time
   * that it may.
   */
  async write(text: string): Promise<boolean> {
    if (this.#isOver) return false;
    if (this.#response.write(text)) return true;
    return this.#drained();
  }

  /** Says something that may be left out. */
  mention(text: string): void {
    if (!this.#isOver && !this.#response.writableNeedDrain) this.#response.write(text);
  }

  end(): void {
    if (!this.#isOver) this.#response.end();
  }

  #drained(): Promise<boolean> {
    const response = this.#response;
    return new Promise((resolve) => {
      const settle = (isOpen: boolean): void => {
        forget();
        response.off("drain", onDrain);
        response.off("close", onClose);
        resolve(isOpen);
      };
      const onDrain = (): void => settle(true);
      const onClose = (): void => settle(false);
      const forget = this.#clock.after(this.#stallMs, () => response.destroy());
      response.once("drain", onDrain);
      response.once("close", onClose);
    });
  }
}
