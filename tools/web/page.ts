import type { ImageBlock } from "../../machines/conversation/entry.ts";
import { ToolError } from "../error.ts";
import { contentOf } from "./content.ts";
import { type GetOptions, get } from "./get.ts";
import { htmlToMarkdown, type MarkdownPage } from "./markdown.ts";

export interface FetchOptions extends Omit<GetOptions, "signal"> {
  /** Maximum milliseconds from the lookup of the host to the text for the model. */
  readonly timeoutMs: number;
  /** Maximum bytes of an image. */
  readonly maxImageBytes: number;
}

/** The content of a URL for the model. */
export type WebPage =
  | (Source & MarkdownPage & { readonly kind: "text" })
  | (Source & { readonly kind: "image"; readonly image: ImageBlock })
  /** Another host has it. */
  | { readonly kind: "redirect"; readonly url: URL; readonly to: URL };

interface Source {
  readonly url: URL;
  readonly status: number;
  /** The type that the response names; empty for none. */
  readonly type: string;
}

/**
 * Fetch a URL and convert what it has, within the time.
 *
 * @throws ToolError `PRIVATE_ADDRESS`, `NOT_FOUND`, `TOO_LARGE`, `BINARY`, `FAILED`; the reason of the abort
 */
export async function fetchPage(url: URL, options: FetchOptions, signal: AbortSignal): Promise<WebPage> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  try {
    return await pageOf(url, { ...options, signal: AbortSignal.any([signal, timeout]) });
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    throw new ToolError(
      "FAILED",
      `${url.href} was not fetched within ${options.timeoutMs} ms. Continue without it.`,
    );
  }
}

async function pageOf(start: URL, options: FetchOptions & GetOptions): Promise<WebPage> {
  const fetched = await get(start, options);
  if (fetched.kind === "redirect") return fetched;
  const { url, status, body } = fetched;
  const source = { url, status, type: body.type };
  const content = contentOf(body, options.maxImageBytes);
  if (content.kind === "image") return { ...source, ...content, kind: "image" };
  if (content.kind === "text") return { ...source, kind: "text", title: "", text: content.text };
  const { maxBytes, signal } = options;
  const page = await htmlToMarkdown(content.text, { base: url, maxChars: maxBytes, signal });
  return { ...source, kind: "text", ...page };
}
