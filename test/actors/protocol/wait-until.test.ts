import { expect, test } from "vitest";
import { systemClock } from "../../../actors/protocol/edge.ts";
import { waitUntil } from "../../../actors/protocol/wait-until.ts";
import { TestClock } from "./host.ts";

const year = 365 * 24 * 3600 * 1000;

test("a wait longer than the maximum timer delay uses several timers", () => {
  const clock = new TestClock();
  let fired = 0;
  waitUntil(clock, 1000 + year, () => {
    fired += 1;
  });
  clock.moveTo(1000 + year - 1);
  expect(fired).toBe(0);
  clock.moveTo(1000 + year);
  expect([fired, clock.waiting]).toEqual([1, 0]);
  expect(Math.max(...clock.delays)).toBe(2 ** 31 - 1);
});

test("a wait can be cancelled between its timers", () => {
  const clock = new TestClock();
  let fired = 0;
  const cancel = waitUntil(clock, 1000 + year, () => {
    fired += 1;
  });
  clock.moveTo(1000 + year / 2);
  cancel();
  clock.moveTo(1000 + 2 * year);
  expect([fired, clock.waiting]).toEqual([0, 0]);
});

test("a timer that fires early is set again", () => {
  const delays: number[] = [];
  let now = 0;
  let fired = 0;
  const early = {
    now: () => now,
    after: (delayMs: number, fire: () => void) => {
      delays.push(delayMs);
      now += Math.max(delayMs - 2, 1);
      fire();
      return () => {};
    },
  };
  waitUntil(early, 10, () => {
    fired += 1;
  });
  expect([fired, delays]).toEqual([1, [10, 2, 1]]);
});

test("a deadline that has passed fires asynchronously", async () => {
  const order: string[] = [];
  const fired = new Promise<void>((resolve) => {
    waitUntil(systemClock, 0, () => {
      order.push("fired");
      resolve();
    });
  });
  order.push("set");
  await fired;
  expect(order).toEqual(["set", "fired"]);
});
