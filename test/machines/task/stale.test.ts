import { describe, expect, it } from "vitest";
import type { TaskEvent } from "../../../machines/task/task.events.ts";
import { Scenario } from "../../support/scenario.ts";
import { SCENARIOS } from "../../support/scenarios/index.ts";
import { asked, completed, write } from "../../support/scenarios/setups.ts";

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 1 };
const content = [{ type: "text", text: "late" }] as const;

/** Events with ids of stopped actors, other tasks, or unknown ones. */
function foreignEvents({ run, state }: Scenario): readonly TaskEvent[] {
  const { request, ask, log, turn } = run.view.context;
  const at = 1_000_000;
  const requestId = (request ?? 0) + 1;
  const askId = (ask?.id ?? log.at(-1)?.ts ?? 0) + 1;
  const callId = "nobody";
  const index = turn.blocks.length;
  const own = { at, requestId: request ?? 0 };
  const llm = { at, requestId };
  const call = { callId, toolUseId: "nobody", name: "write", ask: "tool" } as const;
  const review = {
    valid: true,
    digest: "d",
    revision: 0,
    effect: "writes",
    replayable: false,
    text: "",
    verdict: { kind: "allow", rule: "any" },
  } as const;
  const answers = (["yes", "no"] as const).map((kind) => ({ kind }));
  return [
    ...answers.flatMap((answer): TaskEvent[] => [
      { type: "ask.answered", at, askId, answer },
      { type: "ask.expired", at, askId, answer, rule: "any" },
    ]),
    { type: "ask.answered", at, askId, answer: { kind: "text", text: "words" } },
    { ...llm, type: "context.ready", environment: "elsewhere", ends: [] },
    { ...llm, type: "context.failed", message: "late" },
    { ...llm, type: "llm.text.delta", index, text: "late" },
    { ...llm, type: "llm.thinking.delta", index, text: "late" },
    { ...llm, type: "llm.text.end", index: 0 },
    { ...llm, type: "llm.thinking.end", index: 0 },
    { ...llm, ...call, type: "llm.tool.start", index },
    { ...own, ...call, type: "llm.tool.start", index: index + 1 },
    { ...llm, type: "llm.tool.delta", callId, preview: "late" },
    { ...llm, type: "llm.tool.end", callId, input: {} },
    { ...llm, type: "llm.tool.broken", callId, error: "late" },
    { ...llm, type: "llm.usage", usage: USAGE },
    { ...llm, type: "llm.finished", stopReason: "end_turn", content, usage: USAGE },
    {
      ...llm,
      type: "llm.failed",
      failure: { code: "c", message: "late", retryable: true },
      usage: USAGE,
      jitter: 0,
    },
    { type: "call.reviewed", at, callId, review },
    { type: "tool.output", at, callId, text: "late" },
    { type: "tool.progress", at, callId, status: { text: "late" } },
    { type: "tool.finished", at, callId, content },
    { type: "tool.failed", at, callId, error: "late" },
    { type: "checkpoint.saved", at, callId, hash: "late" },
    { type: "checkpoint.skipped", at, callId, reason: "late" },
    { type: "subtask.ended", at, callId, end: { kind: "finished", result: "late" } },
    { type: "timer.fired", at, timerId: "retry:1" },
    { type: "timer.fired", at, timerId: "review:1" },
    { type: "queue.edited", at, id: "nobody", text: "late" },
    { type: "queue.removed", at, id: "nobody" },
    ...(state === "running.starting" ? [] : ([{ type: "task.opened", at }] as const)),
    { type: "task.start", at, text: "again", images: [] },
  ];
}

/** Events about known calls that have already ended. */
function lateEvents({ run }: Scenario): readonly TaskEvent[] {
  const at = 1_000_000;
  const background = new Set(run.view.context.background.map(({ callId }) => callId));
  return run.view.context.turn.calls
    .filter(({ callId }) => !background.has(callId))
    .flatMap(({ callId, phase }): TaskEvent[] => [
      ...(phase === "deciding"
        ? []
        : [{ type: "call.reviewed", at, callId, review: { valid: false, error: "late" } } as const]),
      ...(phase === "running"
        ? []
        : [
            { type: "tool.output", at, callId, text: "late" } as const,
            { type: "tool.progress", at, callId, status: { text: "late" } } as const,
            { type: "tool.finished", at, callId, content } as const,
            { type: "tool.failed", at, callId, error: "late" } as const,
          ]),
      ...(phase === "delegated"
        ? []
        : [{ type: "subtask.ended", at, callId, end: { kind: "cancelled" } } as const]),
    ]);
}

/** Scenarios that together end in every state, with calls in every phase. */
const CHOSEN = new Set([
  "mcp",
  "arguments",
  "command-expired",
  "completion-no",
  "retry-after-too-long",
  "journal-fails",
  "cancel-command",
  "cancel-completion",
  "checkpoint-subtask",
  "stream-held-growth",
  "stream-same-call",
  "stream-by-nature",
  "stream-talks-thrice",
  "stream-retry-longer",
  "effect-command-after-reads",
  "effect-none",
  "effect-checkpoint-from",
]);
const CASES: readonly (readonly [string, () => Scenario])[] = [
  ...SCENARIOS.filter(([name]) => CHOSEN.has(name)).map(([name, , create]) => [name, create] as const),
  ["starting", () => new Scenario().send({ type: "task.start", text: "go", images: [] })],
  ["under review", () => new Scenario().begun().callsBeforeReview(write)],
  ["finishing", () => new Scenario().begun().callsBeforeReview(write).finishes()],
  ["decided", () => new Scenario().begun().calls(write)],
  [
    "limited",
    () =>
      asked(write, { limits: { requests: 1 } })
        .answers("yes")
        .toolEnds(),
  ],
  ["completed", () => completed().answers("yes")],
  ["reopened", () => completed().answers("yes").crashes()],
];

describe("in every state, late and unknown events change nothing (L8, L10, L12)", () => {
  it.each(CASES)("%s", (_name, create) => {
    const scenario = create();
    const { actor } = scenario.run;
    const before = actor.getSnapshot();
    for (const event of [...foreignEvents(scenario), ...lateEvents(scenario)]) {
      actor.send(event);
      expect([event.type, actor.getSnapshot().context === before.context]).toEqual([event.type, true]);
      expect(actor.getSnapshot().value).toEqual(before.value);
    }
    expect(scenario.run.violations).toEqual([]);
  });
});

it("events of an unknown or already complete call change nothing (L7)", () => {
  const scenario = new Scenario().begun().calls(write);
  const { request, log, turn } = scenario.run.view.context;
  const llm = { at: 1_000_000, requestId: request ?? 0 };
  for (const callId of ["nobody", turn.calls[0]?.callId ?? ""]) {
    scenario.run.send({ ...llm, type: "llm.tool.delta", callId, preview: "late" });
    scenario.run.send({ ...llm, type: "llm.tool.end", callId, input: {} });
    scenario.run.send({ ...llm, type: "llm.tool.broken", callId, error: "late" });
  }
  expect(scenario.state).toBe("streaming.receiving");
  expect(scenario.run.view.context.log).toBe(log);
  expect(scenario.run.view.context.turn).toBe(turn);
  expect(scenario.run.violations).toEqual([]);
});
