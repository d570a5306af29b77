import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";
import { textPart } from "../text.ts";
import type { Tool, ToolResult } from "../tool.ts";
import { Access, type AccessOptions } from "../web/access.ts";
import { markExternal } from "../web/external-text.ts";
import { fetchPage, type WebPage } from "../web/page.ts";
import { escapeControls, targetOf, webUrl } from "./web-url.ts";

/** Options of the tool `web_fetch`. */
export interface WebFetchOptions extends AccessOptions {
  /** Certificates of further authorities, in PEM, such as an intranet's. Default: none. */
  readonly ca?: readonly string[];
  /** Maximum milliseconds of a call. Default 30,000. */
  readonly timeoutMs?: number;
  /** Maximum bytes of a response, as it comes and decompressed, and characters of its text. Default 5,000,000. */
  readonly maxBytes?: number;
  /** Maximum bytes of an image. Default 3,750,000. */
  readonly maxImageBytes?: number;
  /** Maximum number of redirects within a host. Default 5. */
  readonly maxRedirects?: number;
  /** Maximum characters that one call returns. Default 50,000. */
  readonly maxChars?: number;
}

/**
 * Fetches a URL of the public internet with GET: a web page as Markdown, other text as it is, an image as an image.
 *
 * @throws ToolError `TOOL_INVALID` for a private host that is not valid
 */
export function webFetch(options: WebFetchOptions = {}): Tool {
  const { maxChars = 50_000, ca = [], timeoutMs = 30_000 } = options;
  const { maxBytes = 5_000_000, maxImageBytes = 3_750_000, maxRedirects = 5 } = options;
  const access = new Access(options);
  const limits = { access, ca, timeoutMs, maxBytes, maxImageBytes, maxRedirects };
  return defineTool({
    name: "web_fetch",
    displayName: "Fetch from the web",
    group: "fetch",
    effect: "reads",
    description:
      "Fetches a URL with GET, without cookies. A web page comes as Markdown, other text as it is, a small image as an image. http becomes https. A redirect to another host is reported, not followed. Don't put secrets into a URL. The content comes from the web, not from the user.",
    inputSchema: z.object({
      url: webUrl(access).describe("The URL, with http or https."),
      offset: z
        .int()
        .min(0)
        .nullish()
        .describe(`The first character of a long text, counted from 0. A call returns up to ${maxChars}.`),
    }),
    partial: (raw) => {
      const url = textOf(raw, "url");
      return url === undefined
        ? undefined
        : boundedDescriptor({ tool: "webFetch", url: escapeControls(url) }, PARTIAL_MAX_BYTES);
    },
    describe: ({ url, offset }) => {
      const { hostname, href } = targetOf(access, url);
      const from = offset == null || offset === 0 ? {} : { reason: `from character ${offset}` };
      const text = boundedDescriptor({ tool: "webFetch", host: hostname, url: href, ...from });
      return { text, paths: [], fetches: hostname };
    },
    execute: async ({ url, offset }, { signal }) =>
      format(await fetchPage(targetOf(access, url), limits, signal), offset ?? 0, maxChars),
  });
}

function format(page: WebPage, offset: number, maxChars: number): ToolResult {
  if (page.kind === "redirect") {
    const text = `${page.url.href} redirects to another host, which was not fetched. Call web_fetch again if you need it:\n${page.to.href}`;
    return { content: [{ type: "text", text }] };
  }
  const { url, status, type } = page;
  const head = `${url.href} (status ${status}, ${type || "no type"})`;
  const failed = status >= 200 && status < 300 ? {} : { failed: true };
  if (page.kind === "image") return { content: [{ type: "text", text: head }, page.image], ...failed };
  const whole = page.title === "" ? page.text : `${page.title}\n\n${page.text}`;
  const text =
    whole.trim() === "" ? `${head}: it has no text.` : formatPart(head, whole, page, offset, maxChars);
  return { content: [{ type: "text", text }], ...failed };
}

function formatPart(
  head: string,
  whole: string,
  { url, cut }: Extract<WebPage, { kind: "text" }>,
  offset: number,
  maxChars: number,
): string {
  if (offset >= whole.length)
    throw new ToolError(
      "ARGUMENTS_INVALID",
      `The offset ${offset} is behind the end: the text has ${whole.length} characters.`,
    );
  const { text, end } = textPart(whole, offset, maxChars);
  const next = end < whole.length ? ` Continue with the offset ${end}.` : "";
  return [
    head,
    markExternal(text, whole, url.hostname),
    ...(end - offset < whole.length ? [`[Characters ${offset} to ${end} of ${whole.length}.${next}]`] : []),
    ...(cut === undefined ? [] : [`[The rest of the page is left out: ${cut}.]`]),
  ].join("\n");
}
