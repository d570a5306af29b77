import type { Browser, PageAction, PageView } from "../../tools/index.ts";
import { jpegOf } from "./jpeg.ts";

/** The page of a browser that does nothing. */
export const SHOWN_PAGE: PageView = {
  host: "page.test",
  url: "https://page.test/",
  title: "Page",
  viewport: { width: 900, height: 600 },
  events: [],
  cutEvents: 0,
  screenshot: jpegOf(900, 600),
};

/** What a browser was asked to do, and whether it is open. */
export interface RecordingBrowser extends Browser {
  readonly actions: readonly (string | PageAction["action"])[];
}

/** A browser that shows one page, and records what it is asked to do. */
export function recordingBrowser(view: PageView = SHOWN_PAGE): RecordingBrowser {
  const actions: string[] = [];
  let isOpen = false;
  return {
    actions,
    get isOpen() {
      return isOpen;
    },
    async launch(url) {
      isOpen = true;
      actions.push(`launch ${url.href}`);
      return view;
    },
    async act({ action }) {
      actions.push(action);
      return view;
    },
    async close() {
      isOpen = false;
    },
  };
}
