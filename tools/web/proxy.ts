import ipaddr from "ipaddr.js";
import type { ProxyAgent, Response as UndiciResponse } from "undici";
import { addressIn, hostOf } from "./host.ts";

/** The error of a variable of the environment that is not the URL of a proxy. It contains no password. */
export class ProxyError extends Error {
  constructor(variable: string, value: string) {
    const shown = JSON.stringify(value.replace(/[^/@]*@/, "***@").slice(0, 200));
    super(
      `Expected the URL of a proxy in ${variable}, such as http://proxy.example:3128, received ${shown}. Correct or unset it.`,
    );
    this.name = "ProxyError";
  }
}

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "socks:", "socks5:"]);

/**
 * The proxy for a URL by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in either case; undefined for none. A loopback address is
 * never reached through a proxy.
 *
 * @throws ProxyError
 */
export function proxyOf(url: URL): URL | undefined {
  const { protocol } = url;
  const found = [...(protocol === "https:" ? ["https_proxy"] : []), "http_proxy"]
    .flatMap((name) => [name, name.toUpperCase()])
    .find((name) => process.env[name]?.trim());
  if (found === undefined || isExcluded(url)) return undefined;
  const value = process.env[found]?.trim() ?? "";
  const text = value.includes("://") ? value : `http://${value}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy === undefined || !SCHEMES.has(proxy.protocol) || proxy.hostname === "")
    throw new ProxyError(found, value);
  return proxy;
}

function isExcluded(url: URL): boolean {
  const host = hostOf(url) ?? "";
  if (isLoopback(host)) return true;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const list = process.env.no_proxy || process.env.NO_PROXY || "";
  return list
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== "")
    .some((entry) => excludes(entry, host, port));
}

/** Whether an entry of `NO_PROXY` is about a host: `*`, a host and those below it, an address or a range; each with a port. */
function excludes(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const address = addressIn(host);
  if (address !== undefined && containsAddress(entry, address)) return true;
  const [, name = "", only = port] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
  if (only !== port) return false;
  if (address !== undefined) return containsAddress(name, address);
  const domain = name.replace(/^\*?\./, "");
  return host === domain || host.endsWith(`.${domain}`);
}

/** Whether an address, which may be in brackets, or a range has an address. */
function containsAddress(entry: string, text: string): boolean {
  const address = ipaddr.process(text);
  const one = entry.replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.isValid(one)) return ipaddr.process(one).toString() === address.toString();
  if (!ipaddr.isValidCIDR(one)) return false;
  const [range, bits] = ipaddr.parseCIDR(one);
  return range.kind() === address.kind() && address.match(range, bits);
}

function isLoopback(host: string): boolean {
  const address = addressIn(host);
  if (address === undefined) return host === "localhost" || host.endsWith(".localhost");
  return ipaddr.process(address).range() === "loopback";
}

/** One agent for each proxy, which keeps its connections. */
const agents = new Map<string, ProxyAgent>();

/**
 * `fetch`, through the proxy that the environment names for a URL. Without one, it is the standard `fetch`. Through a
 * proxy, the body of a request is read before it is sent, and a response has no `url`.
 *
 * @throws ProxyError
 */
export const proxiedFetch: typeof fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const proxy = proxyOf(url);
  if (proxy === undefined) return fetch(input, init);
  // Loaded where it is needed: the standard `fetch` takes an agent of its own version only.
  const undici = await import("undici");
  let dispatcher = agents.get(proxy.href);
  if (dispatcher === undefined) {
    dispatcher = new undici.ProxyAgent({ uri: proxy.href, proxyTunnel: false });
    agents.set(proxy.href, dispatcher);
  }
  const request = new Request(input, init);
  const { status, statusText, headers, body } = await undici.fetch(url, {
    dispatcher,
    method: request.method,
    headers: [...request.headers],
    redirect: request.redirect,
    signal: request.signal,
    body: request.body === null ? null : new Uint8Array(await request.arrayBuffer()),
  });
  return new Response(body === null ? null : standardStream(body), {
    status,
    statusText,
    headers: [...headers],
  });
};

/** The stream of a body as the standard `Response` takes it. */
function standardStream(body: NonNullable<UndiciResponse["body"]>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
