import type { Attributes, Histogram, Meter } from "@opentelemetry/api";
import type { Usage } from "../../machines/task/task.events.ts";
import { KEY, tokensOf } from "./conventions.ts";

/** The metrics of requests: their duration and their tokens. */
export class RequestMetrics {
  readonly #duration: Histogram;
  readonly #tokens: Histogram;

  constructor(meter: Meter) {
    this.#duration = meter.createHistogram("gen_ai.client.operation.duration", {
      description: "Duration of a request to the model",
      unit: "s",
    });
    this.#tokens = meter.createHistogram("gen_ai.client.token.usage", {
      description: "Tokens of a request to the model",
      unit: "{token}",
    });
  }

  record(durationMs: number, usage: Usage | undefined, attributes: Attributes): void {
    this.#duration.record(durationMs / 1000, attributes);
    if (usage === undefined) return;
    for (const [type, count] of Object.entries(tokensOf(usage)))
      this.#tokens.record(count, { ...attributes, [KEY.tokenType]: type });
  }
}
