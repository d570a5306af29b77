import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { AddressLookup, HostAddress } from "../../ports/browser.ts";
import { ToolError } from "../error.ts";
import { addressIn, hostOf, parseHost } from "./host.ts";

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly HostAddress[]>;

export interface AccessOptions {
  /** Hosts that may have addresses that are not public, such as `intranet.example` or `127.0.0.1:8080`. Default: none. */
  readonly allowPrivate?: readonly string[];
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
}

/** Maximum length of a URL, in characters. */
export const URL_MAX_CHARS = 2_000;

const EXPECTED_URL = `an http or https URL of at most ${URL_MAX_CHARS} characters, without user name and password`;

/** The URLs that can be fetched, and the addresses that the connections go to. */
export class Access {
  readonly #allowPrivate: ReadonlySet<string>;
  readonly #resolve: Resolve;

  /** @throws ToolError `TOOL_INVALID` for a private host that is not valid */
  constructor({ allowPrivate = [], resolve = resolveAll }: AccessOptions) {
    this.#allowPrivate = new Set(allowPrivate.map(privateHost));
    this.#resolve = resolve;
  }

  /** The URL to fetch: `http` is upgraded to `https`, unless its host is an allowed private one. Or what was expected. */
  target(text: string): URL | string {
    if (text.length > URL_MAX_CHARS || !URL.canParse(text)) return EXPECTED_URL;
    const url = new URL(text);
    const host = hostOf(url);
    if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return EXPECTED_URL;
    if (host === undefined) return EXPECTED_URL;
    url.hostname = host;
    url.hash = "";
    const isPrivate = this.#mayBePrivate(url);
    if (!this.mayConnect(url))
      return "a URL of the public internet, not a private, local or reserved address";
    if (!isPrivate) url.protocol = "https:";
    // A URL may be longer when it is written out.
    return url.href.length > URL_MAX_CHARS ? EXPECTED_URL : url;
  }

  /** Whether a connection to this URL may be tried: a name is checked when it is looked up. */
  mayConnect(url: URL): boolean {
    const address = addressIn(hostOf(url) ?? "");
    return address === undefined || this.#mayBePrivate(url) || isPublicAddress(address);
  }

  /** The access of a page of this URL: other private hosts only if its own host is one. */
  ofPage(url: URL): Access {
    return this.#mayBePrivate(url) ? this : new Access({ resolve: this.#resolve });
  }

  /**
   * The lookup of a connection to this URL: it fails for an address that is not public. The connection is made to the
   * address that was checked, so that a name can't resolve to another one in the meantime.
   */
  lookup(url: URL): AddressLookup {
    const isPrivate = this.#mayBePrivate(url);
    return (host, options, callback) => {
      this.#find(host, isPrivate).then(
        ([first, ...others]) => {
          if (options.all === true) callback(null, [first, ...others]);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, []),
      );
    };
  }

  /**
   * Check the host of a URL that a proxy connects to. The proxy resolves the name itself, so only a name that also resolves
   * here can be refused for its address.
   *
   * @throws ToolError `PRIVATE_ADDRESS`
   */
  async checkHost(url: URL): Promise<void> {
    const host = hostOf(url) ?? "";
    if (addressIn(host) !== undefined || this.#mayBePrivate(url)) return;
    // Behind a proxy, names of the internet often do not resolve.
    const addresses = await this.#resolve(host).catch((): readonly HostAddress[] => []);
    if (!addresses.every(({ address }) => isPublicAddress(address))) throw notPublic(host);
  }

  async #find(host: string, isPrivate: boolean): Promise<readonly [HostAddress, ...HostAddress[]]> {
    const [first, ...others] = await this.#resolve(host);
    if (first === undefined) throw new ToolError("NOT_FOUND", `The host '${host}' has no address.`);
    const all = [first, ...others] as const;
    if (isPrivate || all.every(({ address }) => isPublicAddress(address))) return all;
    throw notPublic(host);
  }

  #mayBePrivate(url: URL): boolean {
    const host = hostOf(url) ?? "";
    const port = url.port || (url.protocol === "http:" ? "80" : "443");
    return this.#allowPrivate.has(host) || this.#allowPrivate.has(`${host}:${port}`);
  }
}

const notPublic = (host: string): ToolError =>
  new ToolError(
    "PRIVATE_ADDRESS",
    `The host '${host}' has an address that is not public: expected one of the public internet. Continue without it.`,
  );

const resolveAll: Resolve = (host) => lookup(host, { all: true });

/** The error of a host in `allowPrivate`; undefined for a valid one. */
export function privateHostError(text: string): string | undefined {
  return parsePrivateHost(text) === undefined
    ? "expected a host, such as intranet.example or 127.0.0.1:8080"
    : undefined;
}

/** A host with or without a port, as URLs have it. Undefined for text that is not one. */
function parsePrivateHost(text: string): string | undefined {
  const [, name = "", port = ""] = /^(.*?)(:\d{1,5})?$/.exec(text) ?? [];
  const host = parseHost(name);
  return host === undefined ? undefined : `${host}${port}`;
}

function privateHost(text: string): string {
  const host = parsePrivateHost(text);
  if (host !== undefined) return host;
  throw new ToolError(
    "TOOL_INVALID",
    `Expected a host for allowPrivate, such as intranet.example or 127.0.0.1:8080, received ${JSON.stringify(text.slice(0, 200))}.`,
  );
}

/** The part of IPv6 that is assigned for public addresses. */
const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");
/** Public addresses that clouds answer themselves, with data about the machine. */
const METADATA: ReadonlySet<string> = new Set(["168.63.129.16"]);

/**
 * Whether an address is one of the public internet. All others are not: loopback, private, link-local, shared (RFC 6598),
 * multicast, reserved, and IPv6 addresses that stand for IPv4 ones (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || METADATA.has(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_UNICAST);
}
