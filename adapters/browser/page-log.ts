import { cutEnd } from "../../tools/text.ts";

/** Maximum events between two views, and bytes of one. */
const EVENTS_MAX = 100;
const EVENT_MAX_BYTES = 1_000;

/** The first events of a page since its last view. */
export class PageLog {
  #events: string[] = [];
  #cut = 0;

  add(event: string): void {
    if (this.#events.length < EVENTS_MAX) this.#events.push(cutEnd(event, EVENT_MAX_BYTES));
    else this.#cut += 1;
  }

  /** Take what there is. */
  take(): { readonly events: readonly string[]; readonly cutEvents: number } {
    const taken = { events: this.#events, cutEvents: this.#cut };
    this.#events = [];
    this.#cut = 0;
    return taken;
  }
}
