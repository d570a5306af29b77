import { ModelError } from "../../actors/llm/model-error.ts";

/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  readonly type: string;
  readonly data: string;
}

/**
 * Parser of a `text/event-stream`. It handles a whole chunk synchronously: the SDK's parser takes three asynchronous
 * steps per event, which cost more than all that follows them.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder();
  readonly #eventMaxChars: number;
  #rest = "";
  /** Whether the last chunk ended with a carriage return: a line feed that follows belongs to it. */
  #endsWithReturn = false;
  #type = "";
  #data: string | undefined;

  constructor(eventMaxChars: number) {
    this.#eventMaxChars = eventMaxChars;
  }

  /**
   * Parses a chunk of bytes. Returns the events that it completes.
   *
   * @throws ModelError `bad_stream` for an event of more than `eventMaxChars` characters (L14)
   */
  push(chunk: Uint8Array): readonly ServerSentEvent[] {
    let received = this.#decoder.decode(chunk, { stream: true });
    // A line break may be cut between its \r and \n. It ends its line at once: nothing may follow.
    if (this.#endsWithReturn && received.startsWith("\n")) received = received.slice(1);
    else if (received === "") return [];
    this.#endsWithReturn = received.endsWith("\r");
    if (received.includes("\r")) received = received.replace(/\r\n?/g, "\n");
    const text = this.#rest + received;
    const events: ServerSentEvent[] = [];
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#line(text.slice(start, end), events);
      start = end + 1;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length + (this.#data?.length ?? 0) > this.#eventMaxChars)
      throw tooLong("events", this.#eventMaxChars);
    return events;
  }

  #line(line: string, events: ServerSentEvent[]): void {
    if (line === "") {
      if (this.#data !== undefined) events.push({ type: this.#type, data: this.#data });
      this.#type = "";
      this.#data = undefined;
    } else if (line === "data" || line.startsWith("data:")) {
      const data = line.slice(line[5] === " " ? 6 : 5);
      this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
    } else if (line.startsWith("event:")) {
      this.#type = line.slice(line[6] === " " ? 7 : 6);
    }
  }
}

/** A delta of plain text, as the API formats it: the shape of nearly all events. */
const TEXT_DELTA =
  /^\{"type":"content_block_delta","index":(0|[1-9]\d{0,8}),"delta":\{"type":"text_delta","text":"([ !#-[\]-\uffff]*)"\} *\}$/;

/**
 * Parses the data of an event. It returns what `JSON.parse` returns, at a tenth of the cost for plain text.
 *
 * @throws SyntaxError
 */
export function parseData(data: string): unknown {
  const delta = TEXT_DELTA.exec(data);
  if (delta === null) return JSON.parse(data);
  return {
    type: "content_block_delta",
    index: Number(delta[1]),
    delta: { type: "text_delta", text: delta[2] },
  };
}

/** The error of an event, a block or a message that exceeds `eventMaxChars` (L14). */
export const tooLong = (what: "events" | "blocks" | "messages", maxChars: number): ModelError =>
  new ModelError(
    "bad_stream",
    `Expected ${what} of at most ${maxChars} characters, received a longer one. Check the base URL, or raise eventMaxChars.`,
    { retryable: false },
  );
