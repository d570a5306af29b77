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
  #rest = "";
  #type = "";
  #data: string | undefined;

  /** Parses a chunk of bytes. Returns the events that it completes. */
  push(chunk: Uint8Array): readonly ServerSentEvent[] {
    let text = this.#rest + this.#decoder.decode(chunk, { stream: true });
    // A line break may be cut between its \r and \n.
    const cut = text.endsWith("\r") ? "\r" : "";
    if (text.includes("\r")) text = text.slice(0, text.length - cut.length).replace(/\r\n?/g, "\n");
    const events: ServerSentEvent[] = [];
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#line(text.slice(start, end), events);
      start = end + 1;
    }
    this.#rest = text.slice(start) + cut;
    return events;
  }

  #line(line: string, events: ServerSentEvent[]): void {
    if (line === "") {
      if (this.#data !== undefined) events.push({ type: this.#type, data: this.#data });
      this.#type = "";
      this.#data = undefined;
    } else if (line.startsWith("data:")) {
      const data = line.slice(line[5] === " " ? 6 : 5);
      this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
    } else if (line.startsWith("event:")) {
      this.#type = line.slice(line[6] === " " ? 7 : 6);
    }
  }
}
