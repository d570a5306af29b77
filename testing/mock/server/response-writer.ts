import type { ServerResponse } from "node:http";
import { errorBody, errorTypeOf, statusOf } from "../protocol/api-error.ts";
import type { Fault, StreamedFault } from "../script/script.ts";
import { type MockResponse, messageBody } from "./response.ts";
import { stepsOf, withFault } from "./steps.ts";
import { pump } from "./stream-writer.ts";

/** Respond with a JSON body. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Stream a response, with its fault, if any. @returns whether the client received it completely */
export async function sendStream(
  response: ServerResponse,
  message: MockResponse,
  fault: StreamedFault | undefined,
): Promise<boolean> {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  const steps = stepsOf(message);
  return pump(response, fault === undefined ? steps : withFault(steps, fault));
}

/** Respond to a request that does not stream. A stream fault becomes the closest equivalent. */
export async function sendMessage(
  response: ServerResponse,
  message: MockResponse,
  fault: StreamedFault | undefined,
  requestId: string,
): Promise<boolean> {
  const text = JSON.stringify(messageBody(message));
  if (fault?.kind === "error") {
    sendJson(response, statusOf(fault.type), errorBody(fault.type, fault.message, requestId));
    return true;
  }
  response.writeHead(200, { "content-type": "application/json" });
  const send = (data: string) => ({ do: "send", data, isDelta: false, wait: 0 }) as const;
  if (fault?.kind === "cut") {
    const half = send(text.slice(0, text.length / 2));
    return pump(response, [half, { do: fault.cleanly ? "end" : "reset" }]);
  }
  if (fault?.kind === "stall") return pump(response, [{ do: "silence", ms: fault.stallMs }, send(text)]);
  if (fault?.kind === "garbage") return pump(response, [{ do: "bytes", bytes: fault.bytes }]);
  return pump(response, [send(text)]);
}

/** Respond with an HTTP status. */
export function sendStatus(
  response: ServerResponse,
  { status, body, retryAfter }: Fault & { readonly kind: "status" },
  requestId: string,
): void {
  if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
  if (typeof body === "string") {
    response.writeHead(status, { "content-type": "text/html; charset=utf-8" });
    response.end(body);
    return;
  }
  const type = errorTypeOf(status);
  sendJson(response, status, body ?? errorBody(type, `The script returns ${status} ${type}.`, requestId));
}
