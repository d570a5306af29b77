import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";

/** The built page: benches are started at the root of the package. */
export const BUILT = path.resolve("visualize/dist/page");

const PATHS = [process.env.SIGNALBOX_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];
const FOUND = PATHS.find((file) => file !== undefined && existsSync(file));

/** The reason why the page can't be measured here. Undefined if it can. */
export const missing: string | undefined =
  FOUND === undefined
    ? "There is no Chromium: set SIGNALBOX_CHROMIUM to the path of one."
    : existsSync(path.join(BUILT, "index.html"))
      ? undefined
      : "The page is not built: npm run build:page.";

/** Run `work` with a headless Chromium that renders on the CPU, and close it. */
export async function inBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"];
  const browser = await chromium.launch({ ...(FOUND !== undefined && { executablePath: FOUND }), args });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Run `work` while the built page is served over HTTP, with one additional file. */
export async function onSite<T>(
  name: string,
  content: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer((request, response) => {
    const file = new URL(request.url ?? "/", "http://site").pathname.slice(1) || "index.html";
    const found = file === name ? Promise.resolve(content) : readFile(path.join(BUILT, file));
    found.then(
      (body) =>
        response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "text/plain" }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The site has no port.");
    return await work(`http://127.0.0.1:${address.port}/`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A page, with the CPU time of its main thread and its memory. */
export interface Measured {
  readonly page: Page;
  /** Milliseconds of the main thread since the page was opened. */
  busyMs(): Promise<number>;
  /** Bytes of heap after garbage collection. */
  heapBytes(): Promise<number>;
}

export async function openPage(browser: Browser): Promise<Measured> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return {
    page,
    async busyMs() {
      const { metrics } = await session.send("Performance.getMetrics");
      return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
    },
    async heapBytes() {
      await session.send("HeapProfiler.enable");
      await session.send("HeapProfiler.collectGarbage");
      return (await session.send("Runtime.getHeapUsage")).usedSize;
    },
  };
}
