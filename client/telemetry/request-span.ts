import { type Attributes, SpanKind } from "@opentelemetry/api";
import type { AssistantBlock } from "../../machines/conversation/entry.ts";
import type { TaskEvent, Usage } from "../../machines/task/task.events.ts";
import type { ActorSpan } from "./actor-span.ts";
import { messagesAttribute } from "./content.ts";
import { KEY, modelAttributes, usageAttributes } from "./conventions.ts";

/** A request to the model, for a response or for a summary of the conversation. */
export const REQUEST_SPAN: ActorSpan = {
  start(_effect, { context }, { contentChars }) {
    const model = context.requestModel?.model;
    return {
      name: model === undefined ? "chat" : `chat ${model.id}`,
      kind: SpanKind.CLIENT,
      attributes: {
        [KEY.operation]: "chat",
        ...modelAttributes(model),
        ...(contentChars > 0 && {
          [KEY.inputMessages]: messagesAttribute(context.conversation.toArray(), contentChars),
        }),
      },
    };
  },
  end(span, { cause }, at, { requests, contentChars }) {
    const end = endOf(cause);
    if (end?.usage !== undefined) span.add(usageAttributes(end.usage));
    if (end?.stopReason !== undefined) span.add({ [KEY.finishReasons]: [end.stopReason] });
    if (end?.content !== undefined && contentChars > 0)
      span.add({
        [KEY.outputMessages]: messagesAttribute([{ role: "assistant", content: end.content }], contentChars),
      });
    if (end?.failure !== undefined) span.fail(end.failure);
    requests.record(at - span.startedAt, end?.usage, metricAttributes(span.attributes, end?.failure));
  },
};

interface RequestEnd {
  readonly usage?: Usage;
  readonly stopReason?: string;
  readonly content?: readonly AssistantBlock[];
  /** Code of the failure. */
  readonly failure?: string;
}

/** How a request ended. Undefined where the task stopped it. */
function endOf(cause: TaskEvent | undefined): RequestEnd | undefined {
  switch (cause?.type) {
    case "llm.finished":
      return { usage: cause.usage, stopReason: cause.stopReason, content: cause.content };
    case "condense.finished":
      return { usage: cause.usage, content: [{ type: "text", text: cause.summary }] };
    case "llm.failed":
    case "condense.failed":
      return { usage: cause.usage, failure: cause.failure.code };
    default:
      return undefined;
  }
}

/** The attributes by which requests are counted: no id, which would make a series of each. */
const metricAttributes = (attributes: Attributes, failure: string | undefined): Attributes => ({
  [KEY.operation]: "chat",
  [KEY.provider]: attributes[KEY.provider],
  [KEY.requestModel]: attributes[KEY.requestModel],
  ...(failure !== undefined && { [KEY.error]: failure }),
});
