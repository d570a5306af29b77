import { parseJson } from "./json.ts";
import type { MessageSequence } from "./log.ts";
import type { ClineMessage } from "./message.ts";

/** Reason why a request was closed before its response was complete. */
type CancelReason = "streaming_failed" | "user_cancelled";

/**
 * Fields of a request message; any may be missing. An open request has no cost; null is unknown. Tokens are counts, `cost` is US
 * dollars.
 */
export interface RequestInfo {
  readonly apiProtocol?: string;
  readonly tokensIn?: number;
  readonly tokensOut?: number;
  readonly cacheWrites?: number;
  readonly cacheReads?: number;
  readonly cost?: number | null;
  readonly cancelReason?: CancelReason | (string & {});
  readonly streamingFailedMessage?: string;
}

/** Fields of a closed request. The cost, also an unknown one, is required: it closes the request (L4). */
export interface RequestEnd {
  readonly apiProtocol?: string | undefined;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly cacheWrites: number;
  readonly cacheReads: number;
  readonly cost: number | null;
  readonly cancelReason?: CancelReason | undefined;
  readonly streamingFailedMessage?: string | undefined;
}

/** Whether a message represents one attempt of an API request. Its `type` does not matter (R3). */
export const isRequestMessage = (message: Pick<ClineMessage, "say">): boolean =>
  message.say === "api_req_started";

/**
 * Whether a message is an open request (R3): it has no text, or its text is JSON without a `cost`. Any cost closes it,
 * also 0 and null; so do text that is not JSON, and the JSON value `null`.
 */
export function isRequestOpen(message: ClineMessage): boolean {
  if (!isRequestMessage(message)) return false;
  if (!message.text) return true;
  const value = parseJson(message.text);
  return value !== undefined && value !== null && (value as { readonly cost?: unknown }).cost === undefined;
}

/** Find the newest request message, from the end. */
export function newestRequest(messages: MessageSequence): ClineMessage | undefined {
  for (let position = messages.length - 1; position >= 0; position -= 1) {
    const message = messages.at(position);
    if (message && isRequestMessage(message)) return message;
  }
  return undefined;
}

/** Format the text of an open request. */
export const openRequestText = (start: { readonly apiProtocol: string }): string =>
  JSON.stringify({ apiProtocol: start.apiProtocol });

/** Whether a value is a number of tokens or US dollars that can be summed: from 0 to 2^53 - 1. */
export const isAmount = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/** Format the text of a closed request. A cost that cannot be summed is unknown. */
export const closedRequestText = (end: RequestEnd): string =>
  JSON.stringify({
    apiProtocol: end.apiProtocol,
    tokensIn: end.tokensIn,
    tokensOut: end.tokensOut,
    cacheWrites: end.cacheWrites,
    cacheReads: end.cacheReads,
    cost: isAmount(end.cost) ? end.cost : null,
    cancelReason: end.cancelReason,
    streamingFailedMessage: end.streamingFailedMessage,
  });

/**
 * Parse the fields of a request message, without fields of a wrong type and amounts that cannot be summed; `undefined` if the
 * message is not a request or its text is not a JSON object.
 */
export function requestInfo(message: ClineMessage): RequestInfo | undefined {
  if (!isRequestMessage(message)) return undefined;
  if (!message.text) return {};
  const value = parseJson(message.text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter(([name, field]) => IS_FIELD.get(name)?.(field) === true),
  );
}

const isCost = (field: unknown): boolean => field === null || isAmount(field);
const isText = (field: unknown): boolean => typeof field === "string";

const IS_FIELD = new Map<string, (field: unknown) => boolean>([
  ["apiProtocol", isText],
  ["tokensIn", isAmount],
  ["tokensOut", isAmount],
  ["cacheWrites", isAmount],
  ["cacheReads", isAmount],
  ["cost", isCost],
  ["cancelReason", isText],
  ["streamingFailedMessage", isText],
]);
