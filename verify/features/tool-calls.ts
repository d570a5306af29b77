import type { Turn } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { CallIn, ToolCall, ValidReview } from "../../machines/tool-call/call.ts";
import { toolsOf } from "../tools.ts";
import type { Feature, Moment } from "./feature.ts";
import { answeredRequest } from "./requests.ts";

/** The model calls tools in its response. */
export const toolCalls: Feature = {
  name: "tool calls",
  parts: {
    notices: ({ view: { context } }) => context.turn.notices?.length ?? 0,
    calls: ({ view: { context } }) =>
      context.turn.calls.map((call) => callOf(call, isPassed(call, context.turn))),
    "recorded calls": ({ view: { recorded } }) => recorded.calls.map(({ phase }) => phase),
  },
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

const needsApproval = ({ review }: { readonly review: ValidReview }): boolean =>
  review.needsApproval === true;

/** A call until it is over, and what its turn still reads of it then. */
function callOf(call: ToolCall, passed: boolean) {
  const shown = call.row !== undefined;
  switch (call.phase) {
    case "planned":
      return [call.ask, call.phase, shown, call.preview.length > 0];
    case "deciding":
      return [call.ask, call.phase, shown, call.preview.length > 0];
    case "hooking":
      return [call.ask, call.phase, call.review.effect, call.approval !== undefined, needsApproval(call)];
    case "judging":
      return [
        call.ask,
        call.phase,
        call.review.effect,
        call.review.verdict.kind,
        needsApproval(call),
        call.approval === undefined ? 0 : "person" in call.approval.decision.by,
      ];
    case "decided":
    case "asking":
    case "amending":
    case "approved":
    case "running":
      return [
        ...[call.ask, call.phase, shown],
        ...[call.review.effect, call.review.verdict.kind, needsApproval(call)],
      ];
    case "ended":
      return [call.phase, isMistake(call.outcome.kind), call.notice !== undefined];
    case "stopped":
      return [call.phase, call.replayable];
    case "delegated":
      return [call.phase, call.end?.kind ?? 0, call.rests ?? 0];
    case "settled":
      return [
        call.phase,
        isMistake(call.outcome.kind),
        !passed && shown,
        !passed && call.notice !== undefined,
      ];
  }
}

/** Whether the cursor of the turn passed the call. */
const isPassed = ({ callId }: ToolCall, { blocks, cursor }: Turn): boolean =>
  blocks.slice(0, cursor).some((block) => block.kind === "call" && block.callId === callId);

/** Outcomes after which a completion in the same turn is rejected. */
const isMistake = (kind: string): boolean => kind === "failed" || kind === "invalid";
