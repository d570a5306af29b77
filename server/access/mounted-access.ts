import { ServerError } from "../error.ts";
import type { Access } from "./access.ts";

export interface MountedAccessOptions {
  readonly authorize: (request: Request) => boolean | Promise<boolean>;
  /** Origins of other sites whose pages may send requests. */
  readonly origins: readonly string[];
}

/** Access control by the server that a handler is mounted in. */
export class MountedAccess implements Access {
  readonly #authorize: MountedAccessOptions["authorize"];
  readonly #origins: ReadonlySet<string>;

  constructor({ authorize, origins }: MountedAccessOptions) {
    this.#authorize = authorize;
    this.#origins = new Set(origins);
  }

  /** @throws ServerError `ORIGIN_REFUSED`, `UNAUTHORIZED`, `INTERNAL` */
  async assertRoute(request: Request): Promise<void> {
    this.#assertSameSite(request);
    await this.assertPage(request);
  }

  /** Links from other sites may lead to the page. @throws ServerError `UNAUTHORIZED`, `INTERNAL` */
  async assertPage(request: Request): Promise<void> {
    if (await this.#isAuthorized(request)) return;
    throw new ServerError(
      "UNAUTHORIZED",
      "Expected a request that the option `authorize` of this server accepts. Log in, or send credentials.",
    );
  }

  /** A browser also sends cookies with the requests of other sites' pages. */
  #assertSameSite({ headers, url }: Request): void {
    const origin = headers.get("origin");
    if (origin !== null && this.#origins.has(origin)) return;
    const site = headers.get("sec-fetch-site");
    // A proxy may change the host. This header is the browser's own judgment.
    if (site === "same-origin" || site === "none") return;
    if (site === null && (origin === null || hostOf(origin) === new URL(url).host)) return;
    throw new ServerError(
      "ORIGIN_REFUSED",
      `Expected a request from a page of this site, got one from ${JSON.stringify(origin ?? site)}. Add its origin to the option \`origins\`.`,
    );
  }

  async #isAuthorized(request: Request): Promise<boolean> {
    try {
      return (await this.#authorize(request)) === true;
    } catch (error) {
      throw new ServerError("INTERNAL", "The option `authorize` threw an error. It was reported.", {
        cause: error,
      });
    }
  }
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;
