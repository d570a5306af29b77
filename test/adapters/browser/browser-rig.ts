import { execFileSync } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { BrowserOptions } from "../../../adapters/browser/browser.ts";
import { systemBrowser } from "../../../adapters/index.ts";
import type { Input } from "../../../machines/tool-call/call.ts";
import { browserAction } from "../../../tools/builtin/browser-action.ts";
import type { Browser, ToolResult } from "../../../tools/index.ts";
import { chromiumPath } from "../../page/browser.ts";
import { runPorts } from "../../support/run-ports.ts";
import { serve, type WebServer } from "../../tools/builtin/web-server.ts";

/** A page, or what else a server does with a request. */
export type Answer = string | ((response: ServerResponse, request: IncomingMessage) => unknown);

/** A tool with a browser, and a server that is page.test, other.test and the private private.test. */
export interface BrowserRig {
  readonly browser: Browser;
  readonly server: WebServer;
  /** Make a call of browser_action, and return its result or its error as text. */
  call(input: Input, signal?: AbortSignal): Promise<string>;
  /** Launch the page of a path. */
  launch(path?: string, host?: string): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Longer than the tests may take. */
const LONG_MS = 120_000;

/** Open a rig with a page for each path. */
export async function openBrowserRig(
  pages: Readonly<Record<string, Answer>>,
  options: BrowserOptions = {},
): Promise<BrowserRig> {
  const server = await serve((request, response) => {
    const answer = pages[request.url ?? ""] ?? "";
    if (typeof answer === "function") answer(response, request);
    else response.writeHead(200, { "content-type": "text/html" }).end(answer);
  });
  const limits = { launchMs: LONG_MS, actionMs: LONG_MS, settleMs: LONG_MS };
  const browser = systemBrowser({ executable: chromiumPath, sandbox: false, ...limits, ...options });
  const tool = browserAction({
    allowPrivate: [`page.test:${server.port}`, `other.test:${server.port}`],
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  const run = async (input: Input, signal?: AbortSignal): Promise<ToolResult> => {
    const prepared = tool.prepare(input);
    if (!prepared.ok) throw new Error(prepared.error);
    return prepared.call.execute({ ...(await runPorts()), browser, ...(signal && { signal }) });
  };
  const call: BrowserRig["call"] = (input, signal) => run(input, signal).then(textOf, formatFailure);
  return {
    browser,
    server,
    call,
    launch: (path = "/", host = "page.test") =>
      call({ action: "launch", url: `http://${host}:${server.port}${path}` }),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const textOf = ({ content }: ToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : `<${block.source.media_type}>`)).join("\n");

const formatFailure = (error: unknown): string =>
  error instanceof Error && "code" in error ? `${error.code}: ${error.message}` : String(error);

/** The ids of the processes of Chromium below this process, the oldest first. */
export function chromiumProcesses(): readonly number[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  const below = new Set([process.pid]);
  return lines.flatMap((line) => {
    const [, pid = "", parent = "", args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (!below.has(Number(parent))) return [];
    below.add(Number(pid));
    return /chromium|chrome/i.test(args) ? [Number(pid)] : [];
  });
}
