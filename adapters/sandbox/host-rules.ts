import { ToolError } from "../../tools/error.ts";
import { Access } from "../../tools/web/access.ts";
import { type HostPattern, hostOf, parseHost, parseHostPattern } from "../../tools/web/host.ts";

/** Most hosts of one command that are kept. */
const BLOCKED_MAX = 20;

/** The hosts that a command may reach, and those that it was kept from. */
export class HostRules {
  readonly #patterns: readonly HostPattern[];
  readonly #access: Access;
  readonly #blocked = new Set<string>();

  /** A host that a pattern names as it is may have an address that is not public. */
  constructor(hosts: readonly string[]) {
    this.#patterns = hosts.flatMap((host) => parseHostPattern(host) ?? []);
    const named = hosts.filter((host) => !host.includes("*") && parseHost(host) !== undefined);
    this.#access = new Access({ allowPrivate: named });
  }

  /** In the order of their first requests. */
  get blocked(): readonly string[] {
    return [...this.#blocked];
  }

  /** Whether a connection may be tried. */
  permits(url: URL): boolean {
    const host = hostOf(url);
    const isNamed = host !== undefined && this.#patterns.some((pattern) => pattern.matches(host));
    const isPermitted = isNamed && this.#access.mayConnect(url);
    if (!isPermitted) this.block(url);
    return isPermitted;
  }

  /** Resolves names for a permitted connection. Fails for an address that is not public. */
  lookup(url: URL): ReturnType<Access["lookup"]> {
    return this.#access.lookup(url);
  }

  /** Check a name that another proxy resolves. @throws ToolError `PRIVATE_ADDRESS` */
  checkHost(url: URL): Promise<void> {
    return this.#access.checkHost(url);
  }

  /** Record a host that was not connected to. */
  block(url: URL): URL {
    if (this.#blocked.size < BLOCKED_MAX) this.#blocked.add(url.hostname);
    return url;
  }
}

/** Whether a connection failed as the address is not public. */
export const isPrivateAddress = (error: unknown): boolean =>
  error instanceof ToolError && error.code === "PRIVATE_ADDRESS";
