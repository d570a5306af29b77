import { isIP } from "node:net";

/** A pattern of hosts: one host, `*.` and a domain for the hosts below it, or `*` for every host. */
export interface HostPattern {
  matches(host: string): boolean;
}

export const EXPECTED_HOST =
  "a host such as `example.com`, `*.example.com` for the hosts below it, or `*`; without scheme, port and path";

/**
 * A host as URLs have it: in lower case, as punycode, without a dot at its end. An IPv6 address is in brackets. Undefined
 * for text that is not a host.
 */
export function parseHost(text: string): string | undefined {
  if (/[\s/\\?#@%]/.test(text) || (text.includes(":") && !/^\[.*\]$/.test(text))) return undefined;
  const url = `http://${text}`;
  return URL.canParse(url) ? hostOf(new URL(url)) : undefined;
}

/** The host of a URL, as {@link parseHost} returns it. */
export function hostOf({ hostname }: URL): string | undefined {
  const host = hostname.replace(/\.$/, "");
  return host.split(".").includes("") ? undefined : host;
}

/** The address that a host is a literal of; undefined for a name. */
export function addressIn(host: string): string | undefined {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  return isIP(address) === 0 ? undefined : address;
}

/** Undefined for text that is not a pattern. */
export function parseHostPattern(text: string): HostPattern | undefined {
  const trimmed = text.trim();
  if (trimmed === "*") return { matches: () => true };
  const isBelow = trimmed.startsWith("*.");
  const host = parseHost(isBelow ? trimmed.slice(2) : trimmed);
  if (host === undefined || host.includes("*")) return undefined;
  if (!isBelow) return { matches: (other) => other === host };
  if (addressIn(host) !== undefined) return undefined;
  return { matches: (other) => other.endsWith(`.${host}`) && addressIn(other) === undefined };
}
