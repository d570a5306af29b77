import { NO_USAGE } from "../../machines/task/request.ts";
import type { CondenseEvent } from "../../machines/task/task.events.ts";
import type { ModelEvent } from "../../ports/model.ts";
import type { Untimed } from "../protocol/released.ts";
import { ModelError } from "./model-error.ts";
import type { ResponseReader } from "./request-actor.ts";

/** Collects the text of a response that summarizes a conversation. Everything else of it is ignored. */
export class SummaryResponse implements ResponseReader<CondenseEvent> {
  readonly #requestId: number;
  readonly #maxChars: number;
  #text = "";
  usage = NO_USAGE;
  done = false;

  /** @param maxChars maximum length of the summary, in characters */
  constructor(requestId: number, maxChars: number) {
    this.#requestId = requestId;
    this.#maxChars = maxChars;
  }

  push(event: ModelEvent): boolean {
    if (event.type === "text.delta") this.#add(event.text);
    if (event.type === "usage" || event.type === "finished") this.usage = event.usage;
    this.done ||= event.type === "finished";
    return this.done;
  }

  take(): readonly Untimed<CondenseEvent>[] {
    if (!this.done) return [];
    const summary = this.#text.trim().toWellFormed();
    return [{ type: "condense.finished", requestId: this.#requestId, summary, usage: this.usage }];
  }

  #add(text: string): void {
    if (this.#text.length + text.length > this.#maxChars)
      throw new ModelError(
        "answer_too_large",
        `The summary is longer than ${this.#maxChars} characters (the limit answerMaxChars).`,
        { retryable: false },
      );
    this.#text += text;
  }
}
