import fc from "fast-check";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { NOTHING_SPENT } from "../../verify/bounds.ts";
import { crashesAt, eventsAt } from "../../verify/environment.ts";
import type { Bounds, PathEvent, View } from "../../verify/index.ts";
import { TOOLS } from "../../verify/tools.ts";

const USAGE = { tokensIn: 3, tokensOut: 2, cacheWrites: 1, cacheReads: 1, cost: 0.3 };
const IMAGE = "data:image/png;base64,aGk=";

/** Bounds of random runs: wide enough never to be reached. */
export const WIDE: Bounds = {
  turns: 1_000,
  calls: 5,
  blocks: 8,
  queued: 1_000,
  interruptions: 1_000,
  thinks: true,
  opaque: true,
  condenses: true,
  images: false,
  repeats: false,
  selects: true,
  permits: true,
  profiles: true,
  amends: true,
  elicits: true,
  hooks: true,
  pausing: true,
  wakes: true,
  tools: TOOLS.map(({ name }) => name),
  crashes: 1_000,
};

/** A choice of the next event: `pick` among the possible ones or, rarely, an impossible one. */
export interface Choice {
  readonly pick: number;
  readonly kind: number;
  readonly atMs: number;
}

export const choice: fc.Arbitrary<Choice> = fc.record({
  pick: fc.nat(10_000),
  kind: fc.nat(99),
  atMs: fc.nat(3),
});

/** Events chosen rarely, so that runs get far: they end or repeat the current work. */
const RARE = new Set([
  "task.cancel",
  "journal.failed",
  "llm.failed",
  "context.failed",
  "task.start",
  "queue.added",
  "completion.selected",
  "llm.opaque",
  "compact.requested",
  "task.pause",
  "wake.scheduled",
  "wake.cleared",
]);
const isLate = (event: TaskEvent): boolean =>
  ("requestId" in event && event.requestId < 0) || (event.type === "timer.fired" && event.timerId === "gone");

const isRateLimitTimer = (event: TaskEvent): boolean =>
  event.type === "timer.fired" && event.timerId.startsWith("rate:");

/** The event or crash of a choice in a view. It is deterministic (L15). */
export function pathEventFor(view: View, one: Choice, step: number, bounds = WIDE): PathEvent {
  const isRare = !view.state.startsWith("idle");
  const crashes = one.kind < (isRare ? 97 : 70) ? [] : crashesAt(view, NOTHING_SPENT, bounds);
  const crash = crashes[one.pick % crashes.length];
  return crash ?? eventFor(view, one, step, bounds);
}

function eventFor(view: View, { pick, kind, atMs }: Choice, step: number, bounds: Bounds): TaskEvent {
  const all = [...eventsAt(view, NOTHING_SPENT, bounds), ...richEvents(view, step)];
  const common = all.filter((event) => !RARE.has(event.type) && !isLate(event));
  const pool = kind < 8 ? impossible(view) : kind < 20 || common.length === 0 ? all : common;
  const event = pool[pick % pool.length] ?? { type: "task.cancel", origin: "user", at: 0 };
  const named = event.type === "queue.added" ? { ...event, item: { ...event.item, id: `q${step}` } } : event;
  // A timer never fires before its time.
  if (isRateLimitTimer(event)) return event;
  const now = view.context.log.at(-1)?.ts ?? 0;
  // Clocks of the environment may stand still or step back; `ts` must not.
  return { ...named, at: Math.max(0, now + atMs - 1) };
}

/** Events that the environment of an exploration does not have. */
function richEvents({ state, context }: View, step: number): TaskEvent[] {
  const at = 0;
  const { request: requestId, ask, turn, permissions } = context;
  const { revision } = permissions;
  const events: TaskEvent[] = [
    { type: "queue.added", at, item: { id: "q", text: "", images: [IMAGE, "not an image"] } },
  ];
  if (ask !== undefined) {
    const answered = { type: "ask.answered", at, askId: ask.id } as const;
    events.push(
      { ...answered, answer: { kind: "yes", text: "look", images: [IMAGE] } },
      { ...answered, answer: { kind: "text", text: "  " } },
      { ...answered, answer: { kind: "text", text: "", images: [IMAGE] } },
    );
  }
  if (requestId !== undefined && state === "streaming.receiving") {
    const failed = { type: "llm.failed", at, requestId, usage: USAGE, jitter: 0.9 } as const;
    const failure = { code: "rate_limit_error", message: "slow down", retryable: true, status: 429 };
    events.push(
      { ...failed, failure: { ...failure, retryAfterMs: 1_000 } },
      { ...failed, failure: { ...failure, retryAfterMs: 10_000_000 } },
      { type: "llm.thinking.delta", at, requestId, index: turn.blocks.length, text: "hm" },
      { type: "llm.usage", at, requestId, usage: USAGE },
    );
  }
  // Repeat the same call to reach the limit of repetitions, and that of failed diffs.
  for (const call of turn.calls) {
    // The tool of a question or a completion changes nothing.
    if (call.phase !== "deciding" || call.ask === "followup" || call.ask === "completion_result") continue;
    const review = { valid: true, digest: `${call.name}`, revision, replayable: false, text: "{}" } as const;
    const effect = step % 2 === 0 ? "writes" : "reads";
    events.push({
      type: "call.reviewed",
      at,
      callId: call.callId,
      review: {
        ...review,
        effect,
        ...(effect === "writes" && { patches: "a.txt" }),
        ...(call.ask === "use_mcp_server" && { elicits: true }),
        verdict: { kind: "allow", rule: "always" },
      },
    });
  }
  return events;
}

/** Impossible events: unknown ids, blocks out of order, ends without a start. */
function impossible({ context }: View): TaskEvent[] {
  const at = 0;
  const requestId = context.request ?? 7;
  const callId = context.turn.calls[0]?.callId ?? "no/call";
  return [
    { type: "ask.answered", at, askId: 1_000_000, answer: { kind: "yes" } },
    { type: "ask.expired", at, askId: Number.NaN, answer: { kind: "yes" }, rule: "r" },
    { type: "ask.answered", at, askId: context.log.at(-1)?.ts ?? 0, answer: { kind: "yes" } },
    { type: "llm.text.delta", at, requestId, index: 99, text: "far" },
    { type: "llm.text.end", at, requestId, index: 99 },
    {
      type: "llm.tool.start",
      at,
      requestId,
      index: 99,
      callId: "x",
      toolUseId: "x",
      name: "read",
      ask: "tool",
    },
    {
      type: "llm.tool.start",
      at,
      requestId: requestId + 1,
      index: 0,
      callId,
      toolUseId: "x",
      name: "read",
      ask: "tool",
    },
    { type: "llm.tool.end", at, requestId, callId: "nobody", input: {} },
    { type: "llm.tool.broken", at, requestId: -5, callId, error: "?" },
    { type: "tool.finished", at, callId: "nobody", content: [] },
    { type: "tool.output", at, callId: "nobody", text: "?" },
    { type: "tool.progress", at, callId: "nobody", status: { text: "?" } },
    { type: "tool.backgrounded", at, callId: "nobody" },
    { type: "call.reviewed", at, callId: "nobody", review: { valid: false, error: "?" } },
    { type: "timer.fired", at, timerId: "retry:0" },
    { type: "queue.edited", at, id: "nobody", text: "?" },
    { type: "queue.removed", at, id: "nobody" },
    { type: "task.opened", at },
  ];
}
