import type { IncomingMessage } from "node:http";
import { ApiError } from "./api-error.ts";

/** Whether an address is this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

/**
 * A page in a browser must not reach a server of this machine by a name of its own, and a client without a
 * key would be refused by the real API.
 *
 * @throws ApiError 403 or 401
 */
export function checkAccess({ headers }: IncomingMessage, loopbackOnly: boolean): void {
  if (loopbackOnly && !isLoopback(nameOf(`http://${headers.host ?? ""}`))) {
    throw new ApiError(403, `Host ${headers.host ?? "(none)"} is not this machine.`);
  }
  if (headers.origin !== undefined && !isLoopback(nameOf(headers.origin))) {
    throw new ApiError(403, `Origin ${headers.origin} may not use this server.`);
  }
  if (headers["x-api-key"] === undefined && headers.authorization === undefined) {
    throw new ApiError(401, "x-api-key header is required (any value will do here)");
  }
}

function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}
