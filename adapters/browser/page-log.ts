import type { CDPSession, Page } from "playwright-core";
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

/** Write what happens on a page to its log. Dialogs are dismissed, windows closed, and downloads cancelled. */
export function reportEvents(page: Page, client: CDPSession, log: PageLog): void {
  page.on("console", (message) => log.add(`[${message.type()}] ${message.text()}`));
  page.on("pageerror", (error) => log.add(`[error] ${error.message}`));
  page.on("dialog", (dialog) => {
    log.add(`[${dialog.type()}] ${dialog.message()} (dismissed)`);
    ignoreEnd(dialog.dismiss());
  });
  page.on("download", (download) => log.add(`[download] ${download.url()} (cancelled)`));
  client.on("Page.windowOpen", ({ url }) => log.add(`[window] ${url} (closed; launch it if you need it)`));
  page.context().on("page", (other) => ignoreEnd(other.close()));
}

/** A closed page or dialog may have ended by itself. */
const ignoreEnd = (closed: Promise<void>): void => void closed.catch(() => {});
