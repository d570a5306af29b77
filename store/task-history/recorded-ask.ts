import { z } from "zod";
import { parseJson } from "../../machines/message/json.ts";
import type { Log } from "../../machines/message/log.ts";
import { isAtRest, topState } from "../../machines/message/states.ts";
import { stoppedAsk } from "../../wire/stopped-ask.ts";

/** The ask that a recorded task waits for or rests on. */
export interface RecordedAsk {
  /** The `ts` of its message: the time when the task asked, in ms since the epoch. */
  readonly askId: number;
  /** The `ask` of its message: a name of Roo Code. */
  readonly kind: string;
  /** Its text. A long one is shortened; if it is JSON, its long fields are. */
  readonly text: string;
  /** The code of the error that led to it. */
  readonly errorCode?: string;
  /** Its reason: `paused`, or why a person is asked. A long one is shortened. */
  readonly reason?: string;
}

/** An ask that was withdrawn when its task was interrupted. */
export type StoppedAsk = Pick<RecordedAsk, "kind" | "text">;

/** Whether a task in the state of this dotted path waits for an ask or rests on one. */
export function isAtAsk(path: string): boolean {
  return isAtRest(path) || topState(path) === "waiting_for_input";
}

const askSchema = z.object({
  ts: z.number(),
  ask: z.string(),
  text: z.string().nullish(),
  errorCode: z.string().exactOptional(),
  reason: z.string().exactOptional(),
});

/** The ask of a message; undefined for any other message. `texts`: newer texts of messages, by `ts`. */
export function recordedAsk(
  message: unknown,
  texts: ReadonlyMap<number, string> = new Map(),
): RecordedAsk | undefined {
  const { data } = askSchema.safeParse(message);
  if (data === undefined) return undefined;
  const { ts, ask, text, errorCode, reason } = data;
  return {
    askId: ts,
    kind: ask,
    text: shortened(texts.get(ts) ?? text ?? ""),
    ...(errorCode !== undefined && { errorCode }),
    ...(reason !== undefined && { reason: shortened(reason) }),
  };
}

/** The ask that was open when a task was interrupted, from its messages. */
export function stoppedAskIn(log: Log): StoppedAsk | undefined {
  const ask = recordedAsk(stoppedAsk(log));
  return ask && { kind: ask.kind, text: ask.text };
}

/** Maximum characters of a text, and of a field where the text is JSON. */
const TEXT_CHARS_MAX = 1_000;
const FIELD_CHARS_MAX = 300;
/** Maximum items of a list in JSON. */
const ITEMS_MAX = 20;

function shortened(text: string): string {
  if (text.length <= TEXT_CHARS_MAX) return text;
  const json = parseJson(text);
  const short = typeof json === "object" && json !== null ? JSON.stringify(json, shortenedField) : text;
  // A text that is still long, such as one with many fields, loses its form.
  return cut(short, TEXT_CHARS_MAX * 4);
}

function shortenedField(_key: string, value: unknown): unknown {
  if (typeof value === "string") return cut(value, FIELD_CHARS_MAX);
  return Array.isArray(value) ? value.slice(0, ITEMS_MAX) : value;
}

const cut = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, "")}…`;
