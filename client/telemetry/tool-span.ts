import { SpanKind } from "@opentelemetry/api";
import { callOfToolActor } from "../../machines/task/calls.ts";
import type { ActorSpan } from "./actor-span.ts";
import { jsonAttribute } from "./content.ts";
import { KEY } from "./conventions.ts";

/** A call that runs. A failed one is an error; one that was stopped says so in its outcome, where it has one yet. */
export const TOOL_SPAN: ActorSpan = {
  start({ id }, { context }, { contentChars }) {
    const call = context.turn.calls.find(({ callId }) => callId === callOfToolActor(id));
    if (call === undefined) return undefined;
    return {
      name: `execute_tool ${call.name}`,
      kind: SpanKind.INTERNAL,
      attributes: {
        [KEY.operation]: "execute_tool",
        [KEY.toolName]: call.name,
        [KEY.toolCall]: call.toolUseId,
        ...(contentChars > 0 &&
          "input" in call && { [KEY.toolArguments]: jsonAttribute(call.input, contentChars) }),
      },
    };
  },
  end(span, { calls }, _at, { contentChars }, { id }) {
    const call = calls.find(({ callId }) => callId === callOfToolActor(id));
    if (call?.phase !== "settled") return;
    const { kind, content } = call.outcome;
    span.add({
      [KEY.outcome]: kind,
      ...(contentChars > 0 && { [KEY.toolResult]: jsonAttribute(content, contentChars) }),
    });
    if (kind === "failed") span.fail(kind);
  },
};
