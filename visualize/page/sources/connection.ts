/** `refused`: the server rejects the page, which does not reconnect. */
export type Connection = "connecting" | "connected" | "lost" | "refused";

/** The states of several streams decide in this order. */
const ORDER: readonly Connection[] = ["refused", "lost", "connected", "connecting"];

/** Whether actions can't reach the server. Undefined: there is none. */
export const isLost = (connection: Connection | undefined): boolean =>
  connection === "lost" || connection === "refused";

/** The connection of the page: the state of all its streams as one. It is lost while one of them is. */
export class SharedConnection {
  readonly #onChange: (state: Connection) => void;
  readonly #streams = new Map<object, Connection>();
  #state: Connection | undefined;

  constructor(onChange: (state: Connection) => void) {
    this.#onChange = onChange;
  }

  set(stream: object, state: Connection): void {
    this.#streams.set(stream, state);
    this.#update();
  }

  /** The stream was closed here. */
  remove(stream: object): void {
    if (this.#streams.delete(stream)) this.#update();
  }

  #update(): void {
    const states = new Set(this.#streams.values());
    const state = ORDER.find((one) => states.has(one));
    if (state === undefined || state === this.#state) return;
    this.#state = state;
    this.#onChange(state);
  }
}
