import { describe, expect, it } from "vitest";
import type { TaskInput } from "../../../machines/task/task.context.ts";
import { Scenario } from "../../support/scenario.ts";
import { read, write } from "../../support/scenarios/setups.ts";

const RATE = 5_000;
/** A task whose first request starts at 120. */
const task = (input: Partial<TaskInput> = {}, limits = {}): Scenario =>
  new Scenario({ limits: { rateLimitMs: RATE, ...limits }, ...input }).begun();
/** A task that waits before its second request, 30 ms after the first one started. */
const waiting = (input: Partial<TaskInput> = {}, limits = {}): Scenario =>
  task(input, limits).says("Hm.").finishes("end_turn");

/** Ends the response at this time. */
function finishesAt(scenario: Scenario, at: number): Scenario {
  scenario.run.send({
    type: "llm.finished",
    requestId: scenario.run.view.context.request ?? -1,
    stopReason: "end_turn",
    content: [{ type: "text", text: "Hm." }],
    usage: { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 },
    at,
  });
  return scenario;
}

const timerOf = ({ run }: Scenario): unknown => {
  const snapshot: unknown = run.actor.getSnapshot().children.timer?.getSnapshot();
  return typeof snapshot === "object" && snapshot !== null && "input" in snapshot
    ? snapshot.input
    : undefined;
};
const lastText = ({ run }: Scenario) => run.view.context.log.at(-1)?.text;
const requests = ({ run }: Scenario): number[] =>
  run.view.context.log.toArray().flatMap(({ ts, say }) => (say === "api_req_started" ? [ts] : []));

describe("with a rate limit (L14)", () => {
  it("the first request does not wait", () => {
    const scenario = task();
    expect(scenario.state).toBe("streaming.receiving");
    expect(scenario.run.view.context.requestedAt).toBe(120);
  });

  it("the next request waits, with a message, until the time has passed since the last one started", () => {
    const scenario = waiting();
    expect(scenario.state).toBe("running.pacing");
    expect(scenario.messages.at(-1)).toBe("say:api_req_rate_limit_wait");
    expect(lastText(scenario)).toBe(
      "Requests start at least 5000 ms apart (the limit `rateLimitMs`).\n<retry_timer>5</retry_timer>",
    );
    expect(timerOf(scenario)).toEqual({ timerId: "rate:120", deadline: 120 + RATE });
    scenario.waits();
    expect(scenario.state).toBe("streaming.preparing");
    expect(requests(scenario)).toEqual([120, 120 + RATE]);
    expect(scenario.run.view.context.requestedAt).toBe(120 + RATE);
    expect(timerOf(scenario)).toBeUndefined();
    expect(scenario.run.violations).toEqual([]);
  });

  it("a request that comes when the time has passed does not wait", () => {
    const scenario = finishesAt(task().says("Hm."), 120 + RATE);
    expect(scenario.state).toBe("streaming.preparing");
    expect(scenario.run.violations).toEqual([]);
    expect(finishesAt(task().says("Hm."), 119 + RATE).state).toBe("running.pacing");
  });

  it("a timer of another wait changes nothing (L10)", () => {
    const scenario = waiting().send({ type: "timer.fired", timerId: "rate:119" });
    expect(scenario.state).toBe("running.pacing");
    expect(scenario.send({ type: "timer.fired", timerId: "retry:0" }).state).toBe("running.pacing");
    expect(scenario.run.violations).toEqual([]);
  });

  it("a clock that was set back lengthens no wait, and the wait ends once", () => {
    const scenario = finishesAt(task().says("Hm."), 20);
    expect(scenario.state).toBe("running.pacing");
    expect(timerOf(scenario)).toEqual({ timerId: "rate:120", deadline: 20 + RATE });
    scenario.run.send({ type: "timer.fired", timerId: "rate:120", at: 20 });
    expect(scenario.state).toBe("streaming.preparing");
    expect(scenario.run.view.context.requestedAt).toBe(20);
  });

  it("a request is retried after its own delay and the rest of the rate limit", () => {
    const scenario = task({}, { retryDelayMs: 1 }).fails({ retryable: true });
    expect(scenario.state).toBe("running.retrying");
    expect(scenario.retries().state).toBe("running.pacing");
    expect(scenario.waits().state).toBe("streaming.preparing");
    expect(scenario.messages.slice(1)).toEqual([
      "say:api_req_started",
      "say:api_req_retry_delayed",
      "say:api_req_rate_limit_wait",
      "say:api_req_started",
    ]);
    expect(scenario.run.violations).toEqual([]);
  });

  it("what is queued during the wait is sent with the request", () => {
    const scenario = waiting().queues("and this").waits();
    expect(scenario.messages.slice(-2)).toEqual(["say:user_feedback", "say:api_req_started"]);
  });

  it("a read that fails during the wait counts, and its limit is asked about when the wait ends", () => {
    const scenario = task({}, { mistakes: 1 }).calls(read).calls(write).finishes().answers("no");
    expect(scenario.state).toBe("running.pacing");
    expect(scenario.toolFails().state).toBe("running.pacing");
    expect(scenario.waits().state).toBe("idle.mistaken");
    expect(scenario.run.view.context.requestedAt).toBe(0);
    expect(scenario.answers("yes").state).toBe("streaming.preparing");
    expect(scenario.run.violations).toEqual([]);
  });

  it("a limit that is reached is asked about before the wait", () => {
    expect(waiting({}, { requests: 1 }).state).toBe("idle.limited");
  });
});

describe("a wait for the rate limit", () => {
  it.each([
    ["a cancel (L10)", { type: "task.cancel", origin: "user" }, "ask:resume_task"],
    ["a failure of the journal (L11)", { type: "journal.failed", message: "disk full" }, "ask:resume_task"],
  ] as const)("is left by %s, and goes on when the task is resumed", (_, event, ask) => {
    const scenario = waiting().send(event);
    expect([scenario.state, scenario.messages.at(-1)]).toEqual(["resumable", ask]);
    expect(timerOf(scenario)).toBeUndefined();
    expect(scenario.answers("yes").state).toBe("running.pacing");
    expect(timerOf(scenario)).toEqual({ timerId: "rate:120", deadline: 120 + RATE });
    expect(scenario.run.violations).toEqual([]);
  });

  it("is kept over a crash: the reopened task waits for the rest (L11)", () => {
    const scenario = waiting({}, { rateLimitMs: 100_000 }).crashes().answers("yes");
    expect(scenario.state).toBe("running.pacing");
    expect(timerOf(scenario)).toEqual({ timerId: "rate:120", deadline: 100_120 });
    expect(lastText(scenario)).toMatch(/<retry_timer>40<\/retry_timer>$/);
    expect(scenario.run.violations).toEqual([]);
  });

  it("is over in a task that is reopened later", () => {
    expect(waiting().crashes().answers("yes").state).toBe("streaming.preparing");
  });

  it("is over in a task that is reopened without the limit", () => {
    const limits = { rateLimitMs: 0 };
    const scenario = waiting({}, { rateLimitMs: 100_000 }).crashes({}, { limits }).answers("yes");
    expect(scenario.state).toBe("streaming.preparing");
  });
});

it("without a rate limit no request waits and no start is recorded", () => {
  const scenario = waiting({}, { rateLimitMs: 0 });
  expect(scenario.state).toBe("streaming.preparing");
  expect(scenario.run.view.context.requestedAt).toBe(0);
  expect(scenario.run.view.recorded.facts).not.toHaveProperty("requestedAt");
});
