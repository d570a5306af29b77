import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

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
