import { describe, expect, it } from "vitest";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import { rateLimit } from "../../../verify/laws/rate-limit.ts";
import { appended, say, started } from "./commit-parts.ts";
import { fresh, stepOf } from "./step.ts";

const limits = { ...fresh.limits, rateLimitMs: 100 };
const at = (time: number): TaskEvent => ({ type: "timer.fired", timerId: "rate:50", at: time });

describe("a request is opened (L14)", () => {
  /** A request that is opened at this time, after one at 50. */
  const opened = (time: number, requestedAt = time, before = {}): string | undefined =>
    rateLimit.violation(
      stepOf({
        before: { limits, requestedAt: 50, ...before },
        event: at(time),
        after: { requestedAt },
        emitted: [started("context")],
      }),
    );

  it.each([150, 200])("at %i, when the time of the limit has passed", (time) => {
    expect(opened(time)).toBeUndefined();
  });

  it.each([50, 149])("not at %i", (time) => {
    expect(opened(time)).toBe(`rateLimitMs: a request was opened ${time - 50} ms after the last`);
  });

  it("at any time where the clock was set back, where none was opened before, and without the limit", () => {
    expect(opened(49)).toBeUndefined();
    expect(opened(60, 60, { requestedAt: 0 })).toBeUndefined();
    expect(opened(60, 0, { limits: { ...limits, rateLimitMs: 0 }, requestedAt: 0 })).toBeUndefined();
  });

  it("and the time is kept for the next", () => {
    expect(opened(200, 50)).toBe("rateLimitMs: the start of the request is not kept");
  });

  it("only where its context is started", () => {
    const step = stepOf({
      before: { limits, requestedAt: 50 },
      event: at(60),
      emitted: [started("llm")],
    });
    expect(rateLimit.violation(step)).toBeUndefined();
  });
});

describe("a wait is reported as it starts (L14)", () => {
  const [from, to] = ["running.requesting", "running.pacing"];
  const waits = (...emitted: TaskEmitted[]) => rateLimit.violation(stepOf({ from, to, emitted }));
  const said = (kind: string) => appended(say(1, kind));

  it("by its message, which is the last", () => {
    expect(waits(said("user_feedback"), said("api_req_rate_limit_wait"))).toBeUndefined();
    for (const emitted of [[], [said("error")], [said("api_req_rate_limit_wait"), said("error")]])
      expect(waits(...emitted)).toBe("rateLimitMs: the request waits without a message");
  });

  it("and not again while it lasts", () => {
    expect(rateLimit.violation(stepOf({ from: to, to }))).toBeUndefined();
    expect(rateLimit.violation(stepOf({ from: to, to: "streaming.preparing" }))).toBeUndefined();
  });
});
