import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ApiError, invalidRequest } from "./api-error.ts";

/** Whether a host is a loopback address. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

/**
 * Validate host, origin and API key: a web page must not reach a local server through DNS rebinding, and the real API
 * rejects a client without a key.
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

/** The betas of the API that a request names. */
export function betasOf({ headers }: IncomingMessage): ReadonlySet<string> {
  const names = String(headers["anthropic-beta"] ?? "").split(",");
  return new Set(names.map((name) => name.trim()).filter((name) => name !== ""));
}

function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}

/** Maximum request size, in bytes, as in the API. */
export const requestBytesMax = 32 * 1024 * 1024;

/**
 * Read the text of a request.
 *
 * @throws ApiError 413 over the limit
 */
export async function readBody(request: IncomingMessage, max: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    // Read and drop the remainder: a client that still writes would miss the response.
    if (size <= max) parts.push(part);
    else parts.length = 0;
  }
  if (size > max)
    throw new ApiError(413, `Request exceeds the maximum size of ${max} bytes: it has ${size}.`);
  return Buffer.concat(parts).toString("utf8");
}

/** Half of a surrogate pair in JSON, or a backslash before its digits. */
const SURROGATE = /\\ud[89a-f]/i;

/** @throws ApiError 400 if the text is not JSON, or has half of a surrogate pair */
export function parseJson(text: string): unknown {
  try {
    return SURROGATE.test(text) ? JSON.parse(text, assertWellFormed) : JSON.parse(text);
  } catch (error) {
    throw invalidRequest(
      `The request body is not valid JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function assertWellFormed(_name: string, value: unknown): unknown {
  if (typeof value === "string" && !value.isWellFormed()) throw new Error("no low surrogate in string");
  return value;
}
