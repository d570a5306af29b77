import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { ToolCall } from "../../machines/tool-call/call.ts";
import type { HookText, HookVerdict } from "../../machines/tool-call/hooks.ts";
import type { Feature, Moment } from "./feature.ts";

/** Hooks decide about requests, calls and results. */
export const hooks: Feature = {
  name: "hooks",
  parts: { hooks: ({ view: { context } }) => decisionsOn(context.turn.calls) },
  events: (moment) =>
    moment.bounds.hooks && moment.view.context.hooks.length > 0
      ? [
          ...lateEvents(moment),
          ...requestHookEvents(moment),
          ...moment.view.context.turn.calls.flatMap((call) => callHookEvents(call, moment.at)),
        ]
      : [],
};

const ALLOWED: HookVerdict = { kind: "allow" };
const DENIED: HookVerdict = { kind: "deny", hook: "h", reason: "no" };
const REPLACED = { kind: "replace", hooks: ["h", "i"], text: "redacted" } satisfies HookVerdict;
const VERDICTS: readonly HookVerdict[] = [
  ALLOWED,
  { kind: "amend", hook: "h", input: { content: "rewritten" } },
  { kind: "ask", hook: "h", reason: "a person must see it" },
  REPLACED,
  DENIED,
];
const TEXTS: readonly HookText[] = [{ hook: "h", text: "note" }];

/** The ends of hooks that were stopped. */
function lateEvents({ view: { context }, at }: Moment): TaskEvent[] {
  const allowed = { at, verdict: ALLOWED, texts: [] };
  const gone = context.turn.calls.find(({ phase }) => phase !== "hooking" && phase !== "ended");
  const callId = gone?.callId ?? "0/gone";
  return [
    { ...allowed, type: "request.hooked", requestId: -1 },
    { ...allowed, type: "call.hooked", callId, digest: callId },
    { ...allowed, type: "result.hooked", callId },
  ];
}

function requestHookEvents({ view: { state, context }, at }: Moment): TaskEvent[] {
  const { request: requestId } = context;
  if (state !== "streaming.hooking" || requestId === undefined) return [];
  const ends = [
    { at, verdict: ALLOWED, texts: [] },
    { at, verdict: DENIED, texts: [] },
    { at, verdict: REPLACED, texts: [] },
    { at, verdict: ALLOWED, texts: TEXTS },
  ];
  return ends.map((end) => ({ ...end, type: "request.hooked", requestId }));
}

/** The ends of a call's hooks, and of hooks that saw other arguments. */
function callHookEvents(call: ToolCall, at: number): TaskEvent[] {
  const { callId } = call;
  if (call.phase === "ended")
    return [
      { type: "result.hooked", at, callId, verdict: ALLOWED, texts: [] },
      { type: "result.hooked", at, callId, verdict: DENIED, texts: TEXTS },
      { type: "result.hooked", at, callId, verdict: REPLACED, texts: [] },
      { type: "result.hooked", at, callId, verdict: { ...REPLACED, keepsOriginal: true }, texts: [] },
    ];
  if (call.phase !== "hooking") return [];
  const end = { type: "call.hooked", at, callId, digest: call.review.digest } as const;
  return [
    { ...end, digest: "of other arguments", verdict: ALLOWED, texts: [] },
    { ...end, verdict: ALLOWED, texts: TEXTS },
    ...VERDICTS.map((verdict): TaskEvent => ({ ...end, verdict, texts: [] })),
  ];
}

/** The decisions of hooks about the arguments of calls, by the positions of the calls. */
const decisionsOn = (calls: readonly ToolCall[]) =>
  calls.flatMap((call, position) => {
    const hooked = "hooked" in call ? call.hooked : undefined;
    return hooked === undefined
      ? []
      : [[position, hooked.amendedBy !== undefined, hooked.asks !== undefined]];
  });
