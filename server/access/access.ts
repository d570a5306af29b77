/** The authorization of requests. */
export interface Access {
  /** @throws ServerError if the request to a route is refused */
  assertRoute(request: Request): void | Promise<void>;
  /** @throws ServerError if the request for a file of the page is refused */
  assertPage(request: Request): void | Promise<void>;
}
