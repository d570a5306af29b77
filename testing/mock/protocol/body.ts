import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ApiError, invalidRequest } from "./api-error.ts";

/** The largest request, in bytes; the API's own bound. */
export const requestBytesMax = 32 * 1024 * 1024;

/**
 * The text of a request.
 *
 * @throws ApiError 413 over the bound
 */
export async function readBody(request: IncomingMessage, max: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    // The rest is read and dropped, as a client that still writes would miss the answer.
    if (size <= max) parts.push(part);
    else parts.length = 0;
  }
  if (size > max)
    throw new ApiError(413, `Request exceeds the maximum size of ${max} bytes: it has ${size}.`);
  return Buffer.concat(parts).toString("utf8");
}

/** @throws ApiError 400 where the text is no JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequest(
      `The request body is not valid JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
}
