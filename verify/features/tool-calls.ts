import type { TaskEvent } from "../../machines/task/index.ts";
import type { CallIn } from "../../machines/tool-call/index.ts";
import { toolsOf } from "../tools.ts";
import type { Feature, Moment } from "./feature.ts";
import { answeredRequest } from "./requests.ts";

/** The model calls tools in its response. */
export const toolCalls: Feature = {
  name: "tool calls",
  events: (moment) => {
    const requestId = answeredRequest(moment);
    return requestId === undefined ? [] : callEvents(moment, requestId);
  },
};

function callEvents(moment: Moment, requestId: number): TaskEvent[] {
  const { view, bounds, at } = moment;
  const { blocks, calls } = view.context.turn;
  const planned = calls.find((call) => call.phase === "planned");
  if (planned !== undefined) return argumentEvents(planned, at, requestId);
  return blocks.length < bounds.blocks && calls.length < bounds.calls ? toolStarts(moment, requestId) : [];
}

function toolStarts({ view, bounds, at }: Moment, requestId: number): TaskEvent[] {
  const index = view.context.turn.blocks.length;
  const toolUseId = `t${index}`;
  const callId = `${requestId}/${toolUseId}`;
  return [...new Set(toolsOf(bounds).map(({ ask }) => ask))].map((ask) => {
    const [one, ...others] = toolsOf(bounds, ask);
    const name = one === undefined || others.length > 0 ? ask : one.name;
    return { type: "llm.tool.start", at, requestId, index, callId, toolUseId, name, ask };
  });
}

function argumentEvents({ callId, preview }: CallIn<"planned">, at: number, requestId: number): TaskEvent[] {
  const events: TaskEvent[] = [
    { type: "llm.tool.end", at, requestId, callId, input: {} },
    { type: "llm.tool.broken", at, requestId, callId, error: "cut" },
  ];
  if (preview === "") events.push({ type: "llm.tool.delta", at, requestId, callId, preview: "{}" });
  return events;
}
