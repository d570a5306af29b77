import { expect, test } from "vitest";
import { CallDeadlines } from "../../../adapters/mcp/call-deadlines.ts";
import { stillClock } from "../../support/still-clock.ts";

function fixture() {
  const clock = stillClock();
  return { clock, deadlines: new CallDeadlines({ clock, idleMs: 10, maxMs: 25 }) };
}

test("a call without progress expires, and one with progress at its longest time", () => {
  const idle = fixture();
  idle.clock.advance(10);
  expect(() => idle.deadlines.signal.throwIfAborted()).toThrow("did not answer within 10 ms");
  const { clock, deadlines } = fixture();
  for (const _ of [1, 2]) {
    clock.advance(9);
    deadlines.progress();
  }
  clock.advance(7);
  expect(() => deadlines.signal.throwIfAborted()).toThrow("did not answer within 25 ms");
});

test("the deadlines of a call that waits for a person do not run, whatever progress its server reports", () => {
  const { clock, deadlines } = fixture();
  deadlines.stop();
  deadlines.progress();
  clock.advance(100);
  deadlines.start();
  clock.advance(9);
  expect(deadlines.signal.aborted).toBe(false);
  clock.advance(1);
  expect(deadlines.signal.aborted).toBe(true);
});
