import type { CDPSession, Page } from "playwright-core";
import type { PageLog } from "./page-log.ts";

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

/** What is closed may have ended by itself. */
const ignoreEnd = (closed: Promise<void>): void => void closed.catch(() => {});
