import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { BrowserContext, BrowserServer } from "playwright-core";
import type { ViewportSize } from "../../ports/browser.ts";
import { messageOf, ToolError } from "../../tools/error.ts";
import { findChromium } from "./executable.ts";

export interface ChromiumOptions {
  /** Default: one with a usual name. */
  readonly executable: string | undefined;
  readonly sandbox: boolean;
  readonly launchMs: number;
  readonly viewport: ViewportSize;
  readonly proxyPort: number;
}

/** A running Chromium with a new profile. */
export interface Chromium {
  readonly context: BrowserContext;
  /** Resolves when its processes have ended and its profile is removed. Never rejects. */
  readonly ended: Promise<void>;
  /** Terminate it, with all its processes. */
  kill(): Promise<void>;
}

const FLAGS = [
  "--disable-gpu",
  "--disable-quic",
  // What the proxy would not see: packets of WebRTC, and lookups of names.
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
];

/** A proxy that does not exist, for requests that are of no page. */
const NOWHERE = "socks5://127.0.0.1:1";

/** Start Chromium. @throws ToolError `NOT_INSTALLED`, `FAILED` */
export async function startChromium(options: ChromiumOptions): Promise<Chromium> {
  const { chromium } = await loadPlaywright();
  const executablePath = await findChromium(options.executable);
  const folder = await mkdtemp(path.join(tmpdir(), "signalbox-browser-"));
  // What can't be removed stays in the folder for temporary files.
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  let server: BrowserServer;
  try {
    server = await chromium.launchServer({
      executablePath,
      chromiumSandbox: options.sandbox,
      timeout: options.launchMs,
      args: FLAGS,
      proxy: { server: NOWHERE },
      env: { ...process.env, TMPDIR: folder },
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    await remove();
    throw startFailure(executablePath, options, error);
  }
  const closed = new Promise<void>((resolve) => server.on("close", () => resolve()));
  const ended = closed.then(remove);
  const kill = async (): Promise<void> => {
    await server.kill();
    await ended;
  };
  try {
    const browser = await chromium.connect(server.wsEndpoint());
    const context = await browser.newContext({
      viewport: options.viewport,
      // Also this machine is reached through the proxy only.
      proxy: { server: `socks5://127.0.0.1:${options.proxyPort}`, bypass: "<-loopback>" },
      acceptDownloads: false,
      serviceWorkers: "block",
    });
    context.setDefaultTimeout(0);
    return { context, ended, kill };
  } catch (error) {
    await kill();
    throw startFailure(executablePath, options, error);
  }
}

/** Maximum characters of the message of a browser that did not start. */
const REASON_MAX_CHARS = 1_000;

function startFailure(executable: string, { sandbox }: ChromiumOptions, error: unknown): ToolError {
  const hint = sandbox
    ? " Where the system gives it no sandbox, as in many containers, the option sandbox of the browser must be false."
    : "";
  return new ToolError(
    "FAILED",
    `${executable} did not start.${hint} ${messageOf(error).slice(0, REASON_MAX_CHARS)}`,
    { cause: error },
  );
}

// A bundler takes an import that is caught for an optional one: without the package, the bundle is made nevertheless.
const importPackage = () =>
  import("playwright-core").catch((error: unknown) => {
    throw error;
  });

/** Load the optional package that drives Chromium. @throws ToolError `NOT_INSTALLED` */
export async function loadPlaywright(load: typeof importPackage = importPackage) {
  try {
    return await load();
  } catch (error) {
    throw new ToolError(
      "NOT_INSTALLED",
      "The browser needs the package playwright-core, which could not be loaded. Ask the user to run `npm install playwright-core`.",
      { cause: error },
    );
  }
}
