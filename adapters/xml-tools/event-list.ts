import type { ModelEvent } from "../../ports/model.ts";

/** The events of a response that are not sent yet. Deltas that follow each other are one. */
export class EventList {
  #events: ModelEvent[] = [];

  take(): readonly ModelEvent[] {
    return this.#events.splice(0);
  }

  text(text: string): void {
    const last = this.#events.at(-1);
    if (text === "") return;
    if (last?.type === "text.delta") this.#events.pop();
    this.#events.push({ type: "text.delta", text: last?.type === "text.delta" ? last.text + text : text });
  }

  /** Thinking without a signature: it is shown, and does not go back to the model. */
  thinking(text: string): void {
    this.#events.push({ type: "thinking.delta", text }, { type: "thinking.end", signature: "" });
  }

  startCall(id: string, name: string): void {
    this.#events.push({ type: "tool.start", id, name });
  }

  /** Add to the JSON of the arguments. */
  json(json: string): void {
    const last = this.#events.at(-1);
    if (json === "") return;
    if (last?.type === "tool.delta") this.#events.pop();
    this.#events.push({ type: "tool.delta", json: last?.type === "tool.delta" ? last.json + json : json });
  }

  endCall(): void {
    this.#events.push({ type: "block.end" });
  }
}
