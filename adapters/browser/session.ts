import type { CDPSession, Page } from "playwright-core";
import type { PageAccess, PageAction, PageView, ViewportSize } from "../../ports/browser.ts";
import { messageOf, ToolError } from "../../tools/error.ts";
import { PageActivity } from "./activity.ts";
import { type Chromium, startChromium } from "./chromium.ts";
import { guardPage } from "./page-guard.ts";
import { PageLog, reportEvents } from "./page-log.ts";
import { openProxy } from "./proxy.ts";

export interface SessionOptions {
  readonly executable: string | undefined;
  readonly sandbox: boolean;
  readonly viewport: ViewportSize;
  readonly launchMs: number;
  readonly actionMs: number;
  readonly settleMs: number;
}

/** The page that a launch is for. */
export interface SessionPage {
  readonly url: URL;
  readonly access: PageAccess;
}

interface SessionParts {
  readonly chromium: Chromium;
  readonly page: Page;
  readonly client: CDPSession;
  readonly activity: PageActivity;
  readonly log: PageLog;
  readonly departures: Departures;
}

/** The pages that this page was kept from opening. */
interface Departures {
  /** The URL of another host that it would have gone to. */
  leftFor: string | undefined;
  /** Hosts to which connections were refused. */
  readonly refused: Set<string>;
}

interface ActionLimits {
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** Maximum hosts of refused connections that are remembered. */
const REFUSED_MAX = 1_000;

/** One Chromium with one page, from its start to its end. */
export class BrowserSession {
  readonly #options: SessionOptions;
  readonly #host: string;
  readonly #parts: SessionParts;

  private constructor(options: SessionOptions, host: string, parts: SessionParts) {
    this.#options = options;
    this.#host = host;
    this.#parts = parts;
  }

  /** Start Chromium with an empty page that may show one host. @throws ToolError `NOT_INSTALLED`, `FAILED` */
  static async start({ url, access }: SessionPage, options: SessionOptions): Promise<BrowserSession> {
    const host = url.hostname;
    const log = new PageLog();
    const departures: Departures = { leftFor: undefined, refused: new Set() };
    const onRefused = (refused: string): void => {
      if (departures.refused.size < REFUSED_MAX) departures.refused.add(refused);
    };
    const proxy = await openProxy({ access, onRefused });
    try {
      const chromium = await startChromium({ ...options, proxyPort: proxy.port });
      void chromium.ended.then(() => proxy.close());
      const parts = { chromium, log, departures, ...(await openPage(chromium, host, log, departures)) };
      return new BrowserSession(options, host, parts);
    } catch (error) {
      proxy.close();
      throw error;
    }
  }

  /** Resolves when the browser has ended. */
  get ended(): Promise<void> {
    return this.#parts.chromium.ended;
  }

  kill(): Promise<void> {
    return this.#parts.chromium.kill();
  }

  /** Load a page. @throws ToolError; the reason of the abort. Then the browser has ended. */
  async open(url: URL, signal: AbortSignal): Promise<PageView> {
    const { page, departures } = this.#parts;
    try {
      return await this.#shown({ signal, limitMs: this.#options.launchMs }, async () => {
        await page.goto(url.href, { waitUntil: "domcontentloaded" });
      });
    } catch (error) {
      await this.kill();
      if (departures.leftFor !== undefined)
        throw new ToolError(
          "FAILED",
          `${url.href} leads to another host, which was not loaded. Launch the browser there if you need it:\n${departures.leftFor}`,
        );
      if (departures.refused.has(url.hostname))
        throw new ToolError(
          "PRIVATE_ADDRESS",
          `The host '${url.hostname}' has an address that is not public: expected one of the public internet. Continue without it.`,
        );
      throw error;
    }
  }

  /** @throws ToolError `ARGUMENTS_INVALID`, `FAILED`; the reason of the abort. After the last two the browser has ended. */
  act(action: PageAction, signal: AbortSignal): Promise<PageView> {
    const { page } = this.#parts;
    if ("coordinate" in action) assertWithin(action.coordinate, this.#viewport);
    const limits = { signal, limitMs: this.#options.actionMs };
    return this.#shown(limits, () => perform(page, action, this.#viewport));
  }

  get #viewport(): ViewportSize {
    return this.#parts.page.viewportSize() ?? this.#options.viewport;
  }

  /** Do something, and show the page when it is settled. */
  async #shown({ signal, limitMs }: ActionLimits, work: () => Promise<void>): Promise<PageView> {
    signal.throwIfAborted();
    const limit = AbortSignal.timeout(limitMs);
    const either = AbortSignal.any([signal, limit]);
    // Whatever is waited for rejects when the browser has ended.
    const onAbort = (): void => void this.kill();
    either.addEventListener("abort", onAbort, { once: true });
    try {
      await work();
      await this.#parts.activity.settled(this.#options.settleMs);
      return await this.#view();
    } catch (error) {
      if (isUnknownKey(error)) throw unknownKey(error);
      await this.kill();
      if (signal.aborted) throw signal.reason;
      throw limit.aborted ? tooSlow(limitMs) : failureOf(error);
    } finally {
      either.removeEventListener("abort", onAbort);
    }
  }

  async #view(): Promise<PageView> {
    const { page, client, log, departures } = this.#parts;
    const { currentIndex, entries } = await client.send("Page.getNavigationHistory");
    const screenshot = await page.screenshot({ type: "jpeg", quality: 80 });
    const { leftFor } = departures;
    departures.leftFor = undefined;
    return {
      host: this.#host,
      url: page.url(),
      title: entries[currentIndex]?.title ?? "",
      viewport: this.#viewport,
      ...log.take(),
      ...(leftFor !== undefined && { leftFor }),
      screenshot,
    };
  }
}

const tooSlow = (limitMs: number): ToolError =>
  new ToolError(
    "FAILED",
    `The page did not answer within ${limitMs} ms, so the browser was closed. Launch it again, or continue without it.`,
  );

async function openPage(
  { context, kill }: Chromium,
  host: string,
  log: PageLog,
  departures: Departures,
): Promise<Pick<SessionParts, "page" | "client" | "activity">> {
  try {
    const page = await context.newPage();
    const client = await context.newCDPSession(page);
    await client.send("Page.enable");
    const mainFrame = (await client.send("Page.getFrameTree")).frameTree.frame.id;
    const onLeave = (url: string): void => {
      departures.leftFor = url;
    };
    await guardPage(client, { mainFrame, host, onLeave });
    reportEvents(page, client, log);
    page.on("requestfailed", (request) => {
      const refused = new URL(request.url()).hostname;
      if (departures.refused.has(refused))
        log.add(`[refused] ${request.url()} has an address that is not public`);
    });
    page.on("crash", () => void kill());
    return { page, client, activity: new PageActivity(page, client, mainFrame) };
  } catch (error) {
    await kill();
    throw failureOf(error);
  }
}

async function perform(page: Page, action: PageAction, { height }: ViewportSize): Promise<void> {
  switch (action.action) {
    case "click":
      return page.mouse.click(action.coordinate.x, action.coordinate.y);
    case "hover":
      return page.mouse.move(action.coordinate.x, action.coordinate.y);
    case "type":
      return page.keyboard.type(action.text);
    case "press":
      return page.keyboard.press(action.text);
    case "scroll_down":
      return page.mouse.wheel(0, height);
    case "scroll_up":
      return page.mouse.wheel(0, -height);
    case "resize":
      return page.setViewportSize(action.size);
  }
}

function assertWithin({ x, y }: { readonly x: number; readonly y: number }, size: ViewportSize): void {
  if (x < size.width && y < size.height) return;
  throw new ToolError(
    "ARGUMENTS_INVALID",
    `Expected a coordinate within the viewport of ${size.width}x${size.height} pixels, received ${x},${y}. Use one of the screenshot.`,
  );
}

const isUnknownKey = (error: unknown): boolean => /Unknown key: /.test(messageOf(error));

const unknownKey = (error: unknown): ToolError =>
  new ToolError(
    "ARGUMENTS_INVALID",
    "Expected a key such as Enter, ArrowDown or Control+a, received an unknown one. Use another.",
    { cause: error },
  );

/** The message of the browser may have text of the page. Its code has none. */
function failureOf(error: unknown): ToolError {
  const message = messageOf(error);
  const code = /net::(ERR_[A-Z_]+)/.exec(message)?.[1];
  const what = code === undefined ? "The browser ended" : `The page could not be loaded (${code})`;
  return new ToolError("FAILED", `${what}, and it is closed now. Launch it again, or continue without it.`, {
    cause: error,
  });
}
