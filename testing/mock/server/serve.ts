import type { ServerResponse } from "node:http";
import { errorBody, errorTypeOf, statusOf } from "../protocol/index.ts";
import type { Fault, StreamedFault } from "../script/index.ts";
import { pump } from "./pump.ts";
import type { Reply } from "./reply.ts";
import { stepsOf, withFault } from "./steps.ts";
import { wholeMessage } from "./whole.ts";

/** Sends a JSON body. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Streams a reply, with a fault where there is one. @returns whether the client stayed to the end */
export async function serveStream(
  response: ServerResponse,
  reply: Reply,
  fault: StreamedFault | undefined,
): Promise<boolean> {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  const steps = stepsOf(reply);
  return pump(response, fault === undefined ? steps : withFault(steps, fault));
}

/** Answers a request that does not stream: a fault that needs a stream becomes what comes nearest. */
export async function serveWhole(
  response: ServerResponse,
  reply: Reply,
  fault: StreamedFault | undefined,
  requestId: string,
): Promise<boolean> {
  const text = JSON.stringify(wholeMessage(reply));
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

/** Answers with an HTTP status. */
export function serveStatus(
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
  sendJson(
    response,
    status,
    body ?? errorBody(type, `The script answers with ${status} ${type}.`, requestId),
  );
}
