import { expect, test } from "vitest";
import { timerActor } from "../../actors/timer.ts";
import { heldEdge, host, TestClock } from "./protocol/host.ts";

const setUp = (deadline: number) => {
  const clock = new TestClock();
  const { edge, release } = heldEdge(clock);
  return { clock, release, ...host(timerActor(edge), { timerId: "retry", deadline }) };
};

test("fires once, when the clock reaches its deadline", () => {
  const timer = setUp(5000);
  timer.release();
  timer.clock.moveTo(4999);
  expect(timer.received).toEqual([]);
  timer.clock.moveTo(9000);
  expect(timer.received).toEqual([{ type: "timer.fired", timerId: "retry", at: 5000 }]);
});

test("L11: a timer is set when it is released, and keeps its deadline", () => {
  const timer = setUp(5000);
  timer.clock.moveTo(4000);
  expect(timer.clock.waiting).toBe(0);
  timer.release();
  timer.clock.moveTo(5000);
  expect(timer.received).toEqual([{ type: "timer.fired", timerId: "retry", at: 5000 }]);
});

test("L10: a timer is cleared by a stop", () => {
  const timer = setUp(5000);
  timer.release();
  timer.stop();
  expect(timer.clock.waiting).toBe(0);
});
