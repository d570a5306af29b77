import type { LogEvent } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { readTraceEvent } from "../../wire/http/read-trace-event.ts";
import type { Verification } from "../../wire/http/verification.ts";
import type { Counterexample } from "../trace/counterexample.ts";
import type { TraceEvent } from "../trace/trace-event.ts";
import { countMasked, maskedValue, maskSecrets } from "../trace/transcripts/mask-secrets.ts";

/** A trace without the secrets in its texts. */
export interface MaskedTrace {
  readonly events: readonly TraceEvent[];
  /** The number of places that were masked. A text that several records have is in as many places. */
  readonly places: number;
}

/**
 * A trace in which secrets that are known by their form, or by the name before them, are replaced by `[masked]`: in each
 * text of each event, as the header, messages, the conversation, arguments, results, errors, and reasons of decisions have
 * it. A secret in a text that streams is masked from its first character on.
 */
export function maskedTrace(trace: Iterable<TraceEvent>): MaskedTrace {
  const events = [...trace];
  const messages = new MaskedMessages(events);
  let places = 0;
  const masked = events.map((event) => {
    const { record } = event;
    const shown =
      record.kind === "commit"
        ? { ...event, record: { ...record, log: record.log.map((change) => messages.masked(event, change)) } }
        : event;
    const value = maskedValue(shown);
    places += countMasked(JSON.stringify(value)) - countMasked(JSON.stringify(event));
    return parsed(value);
  });
  return { events: masked, places };
}

/** A counterexample without the secrets in its texts. Its law and its place in the trace stay. */
export const maskedCounterexample = ({ what, event, test, ...rest }: Counterexample): Counterexample => ({
  ...rest,
  what: maskSecrets(what),
  event: maskSecrets(event),
  ...(test !== undefined && { test: maskSecrets(test) }),
});

/** A verification without the secrets in the texts of its violations. Its other texts are names. */
export const maskedVerification = ({ violations, ...rest }: Verification): Verification => ({
  ...rest,
  violations: violations.map(({ what, trace, ...violation }) => ({
    ...violation,
    what: maskSecrets(what),
    trace: maskSecrets(trace),
  })),
});

function parsed(value: unknown): TraceEvent {
  const read = readTraceEvent(value);
  if (read.success) return read.data;
  throw new TypeError(`Expected a trace event after masking, got one with a wrong ${read.problem}.`);
}

/** The last version of a message's text. */
interface LastText {
  readonly plain: string;
  readonly masked: string;
}

/** A message's text as it is, and as it is shown. */
interface Text {
  readonly plain: string;
  readonly shown: string;
  readonly isPartial: boolean;
}

/**
 * The messages of a trace, masked. A part of a secret has no form of its own: so a text that still grows is shown only as
 * far as it agrees with its last version, masked.
 */
class MaskedMessages {
  readonly #last: ReadonlyMap<string, LastText>;
  readonly #texts = new Map<string, Text>();

  constructor(events: readonly TraceEvent[]) {
    const last = new Map<string, string>();
    for (const event of events)
      if (event.record.kind === "commit")
        for (const change of event.record.log)
          for (const [ts, text] of textsOf(change, (ts) => last.get(keyOf(event, ts)) ?? ""))
            last.set(keyOf(event, ts), text);
    // Once for each message: its text is compared with it at each delta.
    this.#last = new Map([...last].map(([key, plain]) => [key, { plain, masked: maskSecrets(plain) }]));
  }

  masked(event: TraceEvent, change: LogEvent): LogEvent {
    switch (change.type) {
      case "message.appended":
        return { ...change, message: this.#message(event, change.message) };
      case "message.grown": {
        const key = keyOf(event, change.ts);
        const { plain, shown } = this.#texts.get(key) ?? { plain: "", shown: "" };
        const next = this.#show(key, plain + change.text, true);
        return next.startsWith(shown)
          ? { ...change, text: next.slice(shown.length) }
          : { type: "message.amended", ts: change.ts, patch: { text: next } };
      }
      case "message.amended": {
        const key = keyOf(event, change.ts);
        const { text, partial = this.#texts.get(key)?.isPartial ?? false } = change.patch;
        if (typeof text !== "string") return change;
        return { ...change, patch: { ...change.patch, text: this.#show(key, text, partial) } };
      }
      case "log.replaced":
        return { ...change, messages: change.messages.map((message) => this.#message(event, message)) };
      case "log.truncated":
        return change;
    }
  }

  #message(event: TraceEvent, message: ClineMessage): ClineMessage {
    const { ts, text, partial = false } = message;
    if (typeof text !== "string") return message;
    return { ...message, text: this.#show(keyOf(event, ts), text, partial) };
  }

  #show(key: string, plain: string, isPartial: boolean): string {
    const last = this.#last.get(key);
    const shown = last === undefined ? maskSecrets(plain) : shownOf(plain, last, isPartial);
    this.#texts.set(key, { plain, shown, isPartial });
    return shown;
  }
}

function shownOf(plain: string, last: LastText, isPartial: boolean): string {
  if (plain === last.plain) return last.masked;
  const isStart = last.plain.startsWith(plain);
  if (isStart && last.masked === last.plain) return plain;
  return (isStart || isPartial) && last.masked !== last.plain
    ? commonStart(plain, last.masked)
    : maskSecrets(plain);
}

const keyOf = ({ taskId }: TraceEvent, ts: number): string => `${ts} ${taskId}`;

/** The texts of messages after a change. */
function textsOf(change: LogEvent, before: (ts: number) => string): readonly (readonly [number, string])[] {
  switch (change.type) {
    case "message.appended":
      return [[change.message.ts, change.message.text ?? ""]];
    case "message.grown":
      return [[change.ts, before(change.ts) + change.text]];
    case "message.amended":
      return typeof change.patch.text === "string" ? [[change.ts, change.patch.text]] : [];
    case "log.replaced":
      return change.messages.map(({ ts, text }) => [ts, text ?? ""]);
    case "log.truncated":
      return [];
  }
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}
