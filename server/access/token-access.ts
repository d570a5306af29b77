import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { ServerError } from "../error.ts";
import type { Access } from "./access.ts";

const TOKEN_BYTES = 32;

export interface TokenAccessOptions {
  /** Default: 256 random bits. */
  readonly token?: string | undefined;
  /** Host names besides `localhost` and IP addresses. */
  readonly names: readonly string[];
  /** The port that the server listens on. */
  readonly port: () => number;
}

/** Access control by the server's token, or the cookie that it was exchanged for. */
export class TokenAccess implements Access {
  readonly token: string;
  readonly #cookie = randomBytes(TOKEN_BYTES).toString("base64url");
  readonly #names: ReadonlySet<string>;
  readonly #port: () => number;

  constructor({ token, names, port }: TokenAccessOptions) {
    this.token = token ?? randomBytes(TOKEN_BYTES).toString("base64url");
    this.#names = new Set(["localhost", ...names.map((name) => name.toLowerCase())]);
    this.#port = port;
  }

  /**
   * Reject requests of other sites' pages, also by DNS rebinding: the host must be known, and a browser's request must
   * come from a page of this server.
   *
   * @throws ServerError `HOST_REFUSED`, `ORIGIN_REFUSED`
   */
  assertOwnPage(headers: IncomingHttpHeaders): void {
    const { host = "" } = headers;
    if (!this.#isKnown(host))
      throw new ServerError(
        "HOST_REFUSED",
        `Expected an IP address or one of ${[...this.#names].join(", ")} in the header Host, got ${JSON.stringify(host)}. Use the address that the server printed.`,
      );
    const { origin } = headers;
    const site = headers["sec-fetch-site"];
    const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    // Links and images have no Origin, but browsers send this header for them as well.
    if (isOwn && (site === undefined || site === "same-origin" || site === "none")) return;
    throw new ServerError(
      "ORIGIN_REFUSED",
      `Expected a request from a page of this server, got one from ${JSON.stringify(origin ?? site)}. Open the address that the server printed.`,
    );
  }

  /** @throws ServerError `UNAUTHORIZED` */
  assertRoute({ headers }: Request): void {
    const [, bearer] = /^Bearer ([^\s]+)$/i.exec(headers.get("authorization") ?? "") ?? [];
    if (bearer !== undefined && isSame(bearer, this.token)) return;
    const value = cookieOf(headers.get("cookie") ?? "", cookieName(this.#port()));
    if (value !== undefined && isSame(value, this.#cookie)) return;
    throw new ServerError(
      "UNAUTHORIZED",
      "Expected the header Authorization: Bearer TOKEN, or the cookie of POST /api/session. The address that the server printed has the token.",
    );
  }

  /** The page has no secrets, and exchanges the token itself. */
  assertPage(): void {}

  /** The header that sets a browser's cookie. @throws ServerError `TOKEN_WRONG` */
  exchange(token: string): string {
    if (!isSame(token, this.token))
      throw new ServerError(
        "TOKEN_WRONG",
        "Expected the server's current token; it changes at each start. Open the address that the server printed.",
      );
    return `${cookieName(this.#port())}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`;
  }

  #isKnown(host: string): boolean {
    const url = `http://${host}`;
    if (!URL.canParse(url)) return false;
    const { hostname, host: parsed, pathname, username } = new URL(url);
    if (pathname !== "/" || username !== "" || parsed === "") return false;
    const name = hostname.replace(/^\[|\]$/g, "");
    // An IP address can't be rebound to another machine, as a name can.
    return isIP(name) !== 0 || this.#names.has(name);
  }
}

/** A browser sends a host's cookies to all its ports. */
const cookieName = (port: number): string => `signalbox-${port}`;

function cookieOf(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const [key = "", ...value] = pair.split("=");
    if (key.trim() === name) return value.join("=").trim();
  }
  return undefined;
}

/** Compare in constant time. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
