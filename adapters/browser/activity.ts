import { EventEmitter, once } from "node:events";
import type { CDPSession, Page, Request } from "playwright-core";

/** Whether a page loads or waits for responses. */
export class PageActivity {
  readonly #page: Page;
  readonly #requests = new Set<Request>();
  readonly #changes = new EventEmitter();
  #isLoading = false;

  /** `events`: events of the domain Page. */
  constructor(page: Page, events: CDPSession, mainFrame: string) {
    this.#page = page;
    const end = (request: Request): void => {
      this.#requests.delete(request);
      this.#changes.emit("change");
    };
    page.on("request", (request) => this.#requests.add(request));
    page.on("requestfinished", end);
    page.on("requestfailed", end);
    page.on("close", () => {
      this.#requests.clear();
      this.#isLoading = false;
      this.#changes.emit("change");
    });
    const setLoading = (frameId: string, isLoading: boolean): void => {
      if (frameId !== mainFrame) return;
      this.#isLoading = isLoading;
      this.#changes.emit("change");
    };
    events.on("Page.frameStartedLoading", ({ frameId }) => setLoading(frameId, true));
    events.on("Page.frameStoppedLoading", ({ frameId }) => setLoading(frameId, false));
  }

  /** Resolves when what an action caused is drawn and the page waits for nothing, or after `limitMs`. */
  async settled(limitMs: number): Promise<void> {
    const limit = AbortSignal.timeout(limitMs);
    const isOver = once(limit, "abort");
    await Promise.race([this.#drawn(), isOver]);
    while (this.#isBusy && !limit.aborted) {
      await Promise.race([once(this.#changes, "change"), isOver]);
      // The page may show the last response only after it has ended.
      if (!this.#isBusy) await Promise.race([this.#drawn(), isOver]);
    }
  }

  get #isBusy(): boolean {
    return this.#isLoading || this.#requests.size > 0;
  }

  /** Resolves after two frames, or when a navigation ends the document that would draw them. */
  #drawn(): Promise<void> {
    const frames = this.#page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
    );
    return frames.then(
      () => {},
      () => {},
    );
  }
}
