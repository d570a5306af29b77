import type { CDPSession } from "playwright-core";

export interface PageGuardOptions {
  readonly mainFrame: string;
  /** The host that the page stays on. */
  readonly host: string;
  /** Called with the URL of a navigation to another host, which is not made. */
  readonly onLeave: (url: string) => void;
}

/**
 * Keep the page on its host: a navigation of the main frame to another one, also by a redirect, is stopped before the
 * request is sent. Frames in the page may load other hosts.
 */
export async function guardPage(
  client: CDPSession,
  { mainFrame, host, onLeave }: PageGuardOptions,
): Promise<void> {
  client.on("Fetch.requestPaused", ({ requestId, frameId, request }) => {
    const leaves = frameId === mainFrame && hostOf(request.url) !== host;
    if (leaves) onLeave(request.url);
    const sent = leaves
      ? client.send("Fetch.failRequest", { requestId, errorReason: "Aborted" })
      : client.send("Fetch.continueRequest", { requestId });
    // The page may have ended by now, or have stopped the request itself.
    sent.catch(() => {});
  });
  await client.send("Network.setBypassServiceWorker", { bypass: true });
  await client.send("Fetch.enable", { patterns: [{ resourceType: "Document", requestStage: "Request" }] });
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);
