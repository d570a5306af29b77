import { parseJson } from "./json.ts";
import type { MessageSequence } from "./log.ts";
import type { ClineMessage } from "./message.ts";

/** Why a request was closed before its answer was whole. */
export type CancelReason = "streaming_failed" | "user_cancelled";

/**
 * What the row of a request tells. Every field may be lacking: an open request has no cost, and a foreign
 * row may hold anything. Tokens are counts, `cost` is in US dollars.
 */
export interface RequestInfo {
  readonly apiProtocol?: string;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  readonly cacheWrites?: number;
  readonly cacheReads?: number;
  readonly cost?: number;
  readonly cancelReason?: CancelReason | (string & {});
  readonly streamingFailedMessage?: string;
}

/** What is written when a request is closed: the cost is always there, so that it can't stay open (L4). */
export interface RequestEnd {
  readonly apiProtocol?: string | undefined;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheWrites: number;
  readonly cacheReads: number;
  readonly cost: number;
  readonly cancelReason?: CancelReason | undefined;
  readonly streamingFailedMessage?: string | undefined;
}

/** The kind of row that stands for one attempt of one API request. Its `type` does not matter (R3). */
export const isRequestMessage = (message: Pick<ClineMessage, "say">): boolean =>
  message.say === "api_req_started";

/**
 * Whether the row is a request that is open (R3): it has no text, or its text is JSON without a `cost`.
 * Any cost closes it, also 0 and null; so does text that is not JSON, and the JSON value `null`.
 */
export function isRequestOpen(message: ClineMessage): boolean {
  if (!isRequestMessage(message)) return false;
  if (!message.text) return true;
  const value = parseJson(message.text);
  return value !== undefined && value !== null && (value as { readonly cost?: unknown }).cost === undefined;
}

/** The newest request message, searched from the end. */
export function newestRequest(messages: MessageSequence): ClineMessage | undefined {
  for (let position = messages.length - 1; position >= 0; position -= 1) {
    const message = messages.at(position);
    if (message && isRequestMessage(message)) return message;
  }
  return undefined;
}

/** The text of a request's row at its beginning. */
export const openRequestText = (start: { readonly apiProtocol: string }): string =>
  JSON.stringify({ apiProtocol: start.apiProtocol });

/** The text of a request's row at its end. A cost that is not a finite number is written as 0. */
export const closedRequestText = (end: RequestEnd): string =>
  JSON.stringify({
    apiProtocol: end.apiProtocol,
    tokensIn: end.tokensIn,
    tokensOut: end.tokensOut,
    cacheWrites: end.cacheWrites,
    cacheReads: end.cacheReads,
    cost: Number.isFinite(end.cost) ? end.cost : 0,
    cancelReason: end.cancelReason,
    streamingFailedMessage: end.streamingFailedMessage,
  });

/**
 * What a request's row tells, for readers. Fields of another type than ours are left out; a row that is no
 * request or whose text is not a JSON object gives `undefined`.
 */
export function requestInfo(message: ClineMessage): RequestInfo | undefined {
  if (!isRequestMessage(message)) return undefined;
  if (!message.text) return {};
  const value = parseJson(message.text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter(([name, field]) => typeof field === FIELD_TYPES.get(name)),
  );
}

const FIELD_TYPES = new Map<string, "string" | "number">([
  ["apiProtocol", "string"],
  ["tokensIn", "number"],
  ["tokensOut", "number"],
  ["cacheWrites", "number"],
  ["cacheReads", "number"],
  ["cost", "number"],
  ["cancelReason", "string"],
  ["streamingFailedMessage", "string"],
]);
