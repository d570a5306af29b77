import type { ClineMessage } from "../../../../machines/message/message.ts";
import { isRequestOpen } from "../../../../machines/message/request.ts";
import { duration } from "../../model/format.ts";
import type { TraceIndex } from "../../model/trace-index.ts";

export interface OpenTimeOptions {
  readonly isOpenAsk: boolean;
  /** The running actors, with the event that started each. */
  readonly actors: ReadonlyMap<string, number>;
  readonly index: TraceIndex;
  /** The time until which it is open, in milliseconds since 1970. */
  readonly until: number;
}

/** Only what is open for longer has its time. */
const SHOWN_FROM_MS = 1_000;

/** How long an ask or a request has been open, or the tool of a call has run, as text. Undefined: none of these. */
export function openTime(message: ClineMessage, options: OpenTimeOptions): string | undefined {
  const { isOpenAsk, actors, index, until } = options;
  const time = (word: string, since = until): string | undefined =>
    until - since < SHOWN_FROM_MS ? undefined : `${word} ${duration(until - since)}`;
  if (isOpenAsk || isRequestOpen(message)) return time("for", message.ts);
  const started = message.type === "ask" ? actors.get(`tool:${message.callId}`) : undefined;
  return started === undefined ? undefined : time("running for", index.times[started]);
}
