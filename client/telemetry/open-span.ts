import {
  type Attributes,
  type Context,
  type Span,
  type SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { KEY } from "./conventions.ts";

/** The name and the attributes of a span at its start. */
export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/** A span with the context of its children. Its times are the times of commits. */
export class OpenSpan {
  readonly context: Context;
  readonly startedAt: number;
  readonly attributes: Attributes;
  readonly #span: Span;

  constructor(tracer: Tracer, { name, kind, attributes }: SpanStart, startTime: number, parent: Context) {
    this.startedAt = startTime;
    this.attributes = attributes;
    this.#span = tracer.startSpan(name, { kind, attributes, startTime }, parent);
    this.context = trace.setSpan(parent, this.#span);
  }

  add(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  /** Mark the work of the span as failed. The message stays out: it may contain text of the conversation. */
  fail(code: string): void {
    this.#span.setAttribute(KEY.error, code);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(endTime: number): void {
    this.#span.end(endTime);
  }
}
