import type { Readable, Writable } from "node:stream";
import { Observable } from "rxjs";
import { parseJson } from "../../machines/message/json.ts";
import { jsonEventSchema, type ParsedJsonEvent } from "../../wire/ndjson/event.ts";
import { LineReader } from "../line-reader.ts";
import { RemoteError } from "./remote-error.ts";

/** The used part of a child process, such as one of `spawn` of node:child_process. */
export interface RemoteProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  once(event: "close", listener: (code: number | null, signal: string | null) => void): unknown;
  once(event: "error", listener: (error: Error) => void): unknown;
}

/** A line of the process: an event, and, where it carries one, the message of the agent. */
export interface OutputLine {
  readonly event: ParsedJsonEvent;
  readonly message?: unknown;
}

/** Maximum characters of a line that an error repeats. */
const EXCERPT_CHARS = 120;

/** The lines of the process's output, in order. A line that is no event is an error and ends the stream. */
export function linesOf(stdout: Readable): Observable<OutputLine> {
  return new Observable((subscriber) => {
    const reader = new LineReader(stdout, {
      line(text) {
        if (text.trim() === "") return;
        const parsed = parse(text);
        if (parsed === undefined) subscriber.error(invalid(text));
        else subscriber.next(parsed);
      },
      ended: () => subscriber.complete(),
    });
    return () => reader.close();
  });
}

function parse(line: string): OutputLine | undefined {
  const event = jsonEventSchema.safeParse(parseJson(line));
  if (!event.success) return undefined;
  const { message, ...rest } = event.data;
  return message === undefined ? { event: rest } : { event: rest, message };
}

const invalid = (line: string): RemoteError =>
  new RemoteError(
    "LINE_INVALID",
    `Expected a line of JSON with a known \`type\` from the process, got ${JSON.stringify(line.slice(0, EXCERPT_CHARS))}. Start it with the arguments \`REMOTE_ARGUMENTS\`.`,
  );
