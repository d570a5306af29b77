import { StreamedText } from "../../client/roo/console/streamed-text.ts";
import type { LogEvent } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { isRequestOpen } from "../../machines/message/request.ts";
import type { OutputWriter } from "./output-writer.ts";

/** Shows messages. For each: `begun`, any number of the others, then `ended`; each part of the text once. */
export interface MessageSink {
  begun(row: ClineMessage): void;
  /** @param text what was added to the message's text */
  grown(row: ClineMessage, text: string): void;
  /** The message's text was replaced. */
  redrawn(row: ClineMessage): void;
  /** The message is complete. A complete ask is open, unless it already has its `closing`. */
  ended(row: ClineMessage): void;
}

/** Follows the incomplete messages of a task, so that no text is shown twice. */
export class MessageFeed {
  readonly #sink: MessageSink;
  readonly #open = new Map<number, Open>();

  constructor(sink: MessageSink) {
    this.#sink = sink;
  }

  take({ commit }: { readonly commit: { readonly log: readonly LogEvent[] } }): void {
    for (const event of commit.log) this.#apply(event);
  }

  #apply(event: LogEvent): void {
    if (event.type === "message.appended") {
      this.#sink.begun(event.message);
      this.#amend({ row: event.message, text: new StreamedText() });
      return;
    }
    if (event.type !== "message.grown" && event.type !== "message.amended") return;
    const open = this.#open.get(event.ts);
    if (open === undefined) return;
    const { row, text } = open;
    if (event.type === "message.amended") this.#amend({ row: { ...row, ...event.patch }, text });
    else {
      text.grow(event.text);
      this.#show({ row: { ...row, text: text.text }, text });
    }
  }

  #amend(open: Open): void {
    const { row, text } = open;
    const isEmptied = text.text !== "" && (row.text ?? "") === "";
    text.set(row.text ?? "");
    if (isEmptied) this.#sink.redrawn(row);
    this.#show(open);
  }

  #show(open: Open): void {
    const { row } = open;
    const { text, isRestart } = open.text.take();
    if (isRestart) this.#sink.redrawn(row);
    else if (text !== "") this.#sink.grown(row, text);
    if (isWhole(row)) {
      this.#open.delete(row.ts);
      this.#sink.ended(row);
    } else this.#open.set(row.ts, open);
  }
}

/** An incomplete message, and the part of its text that has been shown. */
interface Open {
  readonly row: ClineMessage;
  readonly text: StreamedText;
}

/** Output of a command grows until its ask is closed; a request's message waits for its cost. */
function isWhole(row: ClineMessage): boolean {
  if (row.partial === true || isRequestOpen(row)) return false;
  return row.ask !== "command_output" || row.closing !== undefined;
}

/** Maximum messages shown of a resumed task. */
const HISTORY_MESSAGES_MAX = 20;

/** Show a message in its current state. */
export function showMessage(row: ClineMessage, feed: MessageFeed): void {
  feed.take({ commit: { log: [{ type: "message.appended", message: row }] } });
}

/** Show the prompt of a task and its last messages, and how many were left out between them. */
export function showHistory(
  rows: readonly ClineMessage[],
  sink: MessageSink,
  writer: Pick<OutputWriter, "line" | "freshLine">,
  note: (text: string) => string,
): void {
  const feed = new MessageFeed(sink);
  const [prompt, ...others] = rows;
  if (prompt !== undefined) showMessage(prompt, feed);
  const shown = others.slice(-HISTORY_MESSAGES_MAX);
  const left = others.length - shown.length;
  if (left > 0) writer.line(note(`[... ${left} more messages ...]`));
  for (const row of shown) showMessage(row, feed);
  writer.freshLine();
}
