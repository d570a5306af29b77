import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { ServerError } from "./error.ts";

const TOKEN_BYTES = 32;

export interface AccessOptions {
  /** What a client shows to be let in. Default: 256 random bits. */
  readonly token?: string | undefined;
  /** Names by which the server may be called, beside `localhost` and IP addresses. */
  readonly names: readonly string[];
}

/** Who may use the server: whoever has its token, or the cookie that it was exchanged for. */
export class Access {
  readonly token: string;
  readonly #cookie = randomBytes(TOKEN_BYTES).toString("base64url");
  readonly #names: ReadonlySet<string>;

  constructor({ token = randomBytes(TOKEN_BYTES).toString("base64url"), names }: AccessOptions) {
    this.token = token;
    this.#names = new Set(["localhost", ...names.map((name) => name.toLowerCase())]);
  }

  /**
   * A page of another site must not get here, neither by a name of its own that leads to this machine (DNS rebinding)
   * nor from where it stands: a name must be known, and a browser's request must come from a page of this server.
   *
   * @throws ServerError `HOST_REFUSED`, `ORIGIN_REFUSED`
   */
  expectOwnPage(headers: IncomingHttpHeaders): void {
    const { host = "" } = headers;
    if (!this.#isKnown(host))
      throw new ServerError(
        "HOST_REFUSED",
        `This server is not called ${JSON.stringify(host)}: expected an IP address or one of ${[...this.#names].join(", ")} in the header Host. Use the address that it printed.`,
      );
    const { origin } = headers;
    const site = headers["sec-fetch-site"];
    const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    // A browser says for a link or an image, too, which has no Origin, whether it is another site's.
    if (isOwn && (site === undefined || site === "same-origin" || site === "none")) return;
    throw new ServerError(
      "ORIGIN_REFUSED",
      `A page of ${JSON.stringify(origin ?? site)} may not use this server: expected one of its own. Open the address that it printed.`,
    );
  }

  /** @throws ServerError `UNAUTHORIZED` */
  expectAllowed({ authorization, cookie }: IncomingHttpHeaders, port: number): void {
    const [, bearer] = /^Bearer ([^\s]+)$/i.exec(authorization ?? "") ?? [];
    if (bearer !== undefined && isSame(bearer, this.token)) return;
    const value = cookieOf(cookie ?? "", cookieName(port));
    if (value !== undefined && isSame(value, this.#cookie)) return;
    throw new ServerError(
      "UNAUTHORIZED",
      "This needs the server's token: expected Authorization: Bearer TOKEN, or the cookie of POST /api/session. The address that the server printed has the token.",
    );
  }

  /** The header that gives a browser its cookie. @throws ServerError `TOKEN_WRONG` */
  exchange(token: string, port: number): string {
    if (!isSame(token, this.token))
      throw new ServerError(
        "TOKEN_WRONG",
        "This is not the server's token: it has another since it was last started. Open the address that it printed.",
      );
    return `${cookieName(port)}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`;
  }

  #isKnown(host: string): boolean {
    const url = `http://${host}`;
    if (!URL.canParse(url)) return false;
    const { hostname, host: parsed, pathname, username } = new URL(url);
    if (pathname !== "/" || username !== "" || parsed === "") return false;
    const name = hostname.replace(/^\[|\]$/g, "");
    // An address can't be made to mean another machine, as a name can.
    return isIP(name) !== 0 || this.#names.has(name);
  }
}

/** A browser sends the cookies of a machine to all its ports. */
const cookieName = (port: number): string => `signalbox-${port}`;

function cookieOf(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const [key = "", ...value] = pair.split("=");
    if (key.trim() === name) return value.join("=").trim();
  }
  return undefined;
}

/** Takes as long whatever is the same of both. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
