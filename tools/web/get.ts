import http from "node:http";
import https from "node:https";
import { rootCertificates } from "node:tls";
import { ToolError } from "../error.ts";
import type { Access } from "./access.ts";
import { type Body, type IncomingResponse, readBody } from "./body.ts";
import { addressIn } from "./host.ts";
import { ProxyError, proxyOf } from "./proxy.ts";

/** The access and the limits of a request. */
export interface GetOptions {
  readonly access: Access;
  /** Certificates of further authorities, in PEM. */
  readonly ca: readonly string[];
  /** Maximum bytes of a body, as it comes and decompressed. */
  readonly maxBytes: number;
  /** Maximum number of redirects that are followed. */
  readonly maxRedirects: number;
  readonly signal: AbortSignal;
}

/** The response to a request, or another host that has the resource. */
export type Fetched =
  | { readonly kind: "response"; readonly url: URL; readonly status: number; readonly body: Body }
  | { readonly kind: "redirect"; readonly url: URL; readonly to: URL };

/** The head of a response, and its body. */
interface Incoming extends IncomingResponse {
  readonly headers: IncomingResponse["headers"] & { readonly location?: string | undefined };
  readonly statusCode?: number | undefined;
  destroy(): unknown;
}

/** Maximum bytes of the headers of a response. */
const HEADER_MAX_BYTES = 16 * 1024;

const HEADERS = {
  accept: "text/markdown, text/html, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "signalbox (web_fetch)",
} as const;

/**
 * Fetch a URL with GET, without cookies. A redirect is followed within its host; another host is returned, not fetched.
 *
 * @throws ToolError `PRIVATE_ADDRESS`, `NOT_FOUND`, `TOO_LARGE`, `BINARY`, `FAILED`; the reason of the abort
 */
export async function get(start: URL, options: GetOptions): Promise<Fetched> {
  let url = start;
  for (let followed = 0; followed <= options.maxRedirects; followed += 1) {
    const response = await request(url, options);
    const location = redirectIn(response);
    if (location === undefined) {
      const body = await bodyOf(response, url, options);
      return { kind: "response", url, status: response.statusCode ?? 0, body };
    }
    response.destroy();
    const to = targetOf(location, url, options.access);
    if (to.hostname !== url.hostname) return { kind: "redirect", url, to };
    url = to;
  }
  throw new ToolError(
    "FAILED",
    `${start.href} redirects more than ${options.maxRedirects} times within its host. Continue without it.`,
  );
}

async function bodyOf(response: Incoming, url: URL, options: GetOptions): Promise<Body> {
  try {
    return await readBody(response, options);
  } catch (error) {
    throw options.signal.aborted ? options.signal.reason : failureOf(url, error);
  } finally {
    response.destroy();
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const redirectIn = ({ statusCode = 0, headers }: Incoming): string | undefined =>
  REDIRECTS.has(statusCode) ? headers.location : undefined;

function targetOf(location: string, from: URL, access: Access): URL {
  const { href } = URL.canParse(location, from.href) ? new URL(location, from) : { href: location };
  const target = access.target(href);
  if (typeof target !== "string") return target;
  throw new ToolError(
    "FAILED",
    `${from.href} redirects to another place: expected ${target}. Continue without it.`,
  );
}

/** Send a request. Resolves with the head of its response. */
async function request(url: URL, options: GetOptions): Promise<Incoming> {
  try {
    const proxy = proxyOf(url);
    return proxy === undefined ? await direct(url, options) : await through(proxy, url, options);
  } catch (error) {
    throw options.signal.aborted ? options.signal.reason : failureOf(url, error);
  }
}

const authorities = (ca: readonly string[]): { readonly ca?: string[] } =>
  ca.length > 0 ? { ca: [...rootCertificates, ...ca] } : {};

/** The name of a server in its certificate; none for an address. */
const serverName = (url: URL): { readonly servername?: string } =>
  addressIn(url.hostname) === undefined ? { servername: url.hostname } : {};

/** A request through a proxy, on a connection of its own. */
async function through(proxy: URL, url: URL, { access, ca, signal }: GetOptions): Promise<Incoming> {
  await access.checkHost(url);
  const undici = await import("undici");
  const dispatcher = new undici.ProxyAgent({
    uri: proxy.href,
    proxyTunnel: false,
    maxHeaderSize: HEADER_MAX_BYTES,
    requestTls: { ...serverName(url), ...authorities(ca), rejectUnauthorized: true },
  });
  const end = (): void => void dispatcher.destroy();
  try {
    const { statusCode, headers, body } = await undici.request(url, { dispatcher, headers: HEADERS, signal });
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return Object.assign(body.once("close", end), { statusCode, headers: named });
  } catch (error) {
    end();
    throw error;
  }
}

function direct(url: URL, { access, ca, signal }: GetOptions): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    const common = {
      agent: false,
      headers: HEADERS,
      insecureHTTPParser: false,
      lookup: access.lookup(url),
      maxHeaderSize: HEADER_MAX_BYTES,
      signal,
    } as const;
    const sent =
      url.protocol === "http:"
        ? http.get(url, common)
        : https.get(url, { ...common, ...authorities(ca), rejectUnauthorized: true });
    sent.on("response", resolve);
    sent.on("error", reject);
  });
}

/** The message of a failed connection may have text of the server. Its code has none. */
function failureOf(url: URL, error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  if (error instanceof ProxyError) return new ToolError("FAILED", error.message, { cause: error });
  const code = codeOf(error);
  const isUnknown = code === "ENOTFOUND" || code === "EAI_AGAIN";
  return new ToolError(
    isUnknown ? "NOT_FOUND" : "FAILED",
    `${url.href} could not be fetched (${code}): expected a response over ${url.protocol.slice(0, -1)}. Check the URL, or continue without it.`,
    { cause: error },
  );
}

function codeOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  if (first instanceof Error && "code" in first && typeof first.code === "string") return first.code;
  return first instanceof Error ? first.name : typeof first;
}
