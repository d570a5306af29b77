import type { Browser, PageAction, PageView, ViewportSize } from "../../ports/browser.ts";
import { ToolError } from "../../tools/error.ts";
import { BrowserSession, type SessionOptions, type SessionPage } from "./session.ts";

/** Options of {@link systemBrowser}. */
export interface BrowserOptions {
  /** Path of Chromium or Chrome. Default: the first of the usual names in the search path. */
  readonly executable?: string | undefined;
  /** Whether Chromium isolates its processes from the system. False only where the system can't. Default true. */
  readonly sandbox?: boolean | undefined;
  /** The first size of the viewport, in pixels. Default 900x600. */
  readonly viewport?: ViewportSize;
  /** Maximum milliseconds for the start of Chromium, and for loading its page. Default 30,000. */
  readonly launchMs?: number;
  /** Maximum milliseconds of an action. Then the browser is closed. Default 30,000. */
  readonly actionMs?: number;
  /** Maximum milliseconds in which a page settles after an action, before its screenshot. Default 3,000. */
  readonly settleMs?: number;
}

type State =
  | { readonly kind: "closed" }
  | { readonly kind: "launching"; readonly session: Promise<BrowserSession> }
  | { readonly kind: "open"; readonly session: BrowserSession }
  | { readonly kind: "closing"; readonly end: Promise<void> };

const CLOSED: State = { kind: "closed" };

/**
 * An installed Chromium or Chrome, driven by the optional package `playwright-core`. It is started by a launch, without a
 * window and with a new profile, and connects only to what the launch permits.
 *
 * @example
 * ```ts
 * import { systemBrowser } from "signalbox/adapters";
 * const browser = () => systemBrowser({ executable: "/usr/bin/chromium" });
 * ```
 */
export function systemBrowser(options: BrowserOptions = {}): Browser {
  return new SystemBrowser(options);
}

class SystemBrowser implements Browser {
  readonly #options: SessionOptions;
  #state: State = CLOSED;

  constructor(options: BrowserOptions) {
    const { executable, sandbox = true, viewport = { width: 900, height: 600 } } = options;
    const { launchMs = 30_000, actionMs = 30_000, settleMs = 3_000 } = options;
    this.#options = { executable, sandbox, viewport, launchMs, actionMs, settleMs };
  }

  get isOpen(): boolean {
    return this.#state.kind !== "closed";
  }

  async launch(
    url: URL,
    { access, signal }: Pick<SessionPage, "access"> & { readonly signal: AbortSignal },
  ): Promise<PageView> {
    // Another launch may begin while this one waits.
    while (this.#state.kind !== "closed") await this.close();
    signal.throwIfAborted();
    const session = await this.#start({ url, access });
    return await session.open(url, signal);
  }

  async act(action: PageAction, signal: AbortSignal): Promise<PageView> {
    if (this.#state.kind === "open") return await this.#state.session.act(action, signal);
    throw new ToolError(
      "NOT_FOUND",
      "No browser is open: expected a launch before. Use the action launch with a URL.",
    );
  }

  close(): Promise<void> {
    const state = this.#state;
    if (state.kind === "closed") return Promise.resolve();
    if (state.kind === "closing") return state.end;
    const end = Promise.resolve(state.session).then(
      async (session) => {
        await session.kill();
        this.#state = CLOSED;
      },
      // It did not start.
      () => {
        this.#state = CLOSED;
      },
    );
    this.#state = { kind: "closing", end };
    return end;
  }

  async #start(page: SessionPage): Promise<BrowserSession> {
    const starting = BrowserSession.start(page, this.#options);
    const launching: State = { kind: "launching", session: starting };
    this.#state = launching;
    try {
      const session = await starting;
      const open: State = { kind: "open", session };
      // It may be closing already.
      if (this.#state === launching) this.#state = open;
      void session.ended.then(() => {
        if (this.#state === open) this.#state = CLOSED;
      });
      return session;
    } catch (error) {
      if (this.#state === launching) this.#state = CLOSED;
      throw error;
    }
  }
}
