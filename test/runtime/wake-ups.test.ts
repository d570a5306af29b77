import { describe, expect, test } from "vitest";
import { WakeUps } from "../../runtime/wake-ups.ts";
import { stillClock } from "../support/still-clock.ts";

function openWakeUps() {
  const clock = stillClock();
  const woken: string[] = [];
  const wakeUps = new WakeUps(clock, (taskId) => void woken.push(taskId));
  return { clock, woken, wakeUps };
}

describe("the due times of a host's tasks", () => {
  test("share one timer, and each task is woken at its own time", () => {
    const { clock, woken, wakeUps } = openWakeUps();
    wakeUps.set("b", 20);
    wakeUps.set("c", 30);
    wakeUps.set("a", 10);
    expect(clock.pending).toBe(1);
    clock.advance(10);
    expect(woken).toEqual(["a"]);
    clock.advance(100);
    expect(woken).toEqual(["a", "b", "c"]);
    expect(clock.pending).toBe(0);
  });

  test("are asynchronous, also where one has passed", () => {
    const { clock, woken, wakeUps } = openWakeUps();
    clock.advance(50);
    wakeUps.set("a", 10);
    expect(woken).toEqual([]);
    clock.advance(0);
    expect(woken).toEqual(["a"]);
  });

  test("may be changed: earlier, later, or removed with the timer of the last one", () => {
    const { clock, woken, wakeUps } = openWakeUps();
    wakeUps.set("a", 20);
    wakeUps.set("a", 40);
    wakeUps.set("b", 10);
    wakeUps.set("b", undefined);
    clock.advance(30);
    expect(woken).toEqual([]);
    wakeUps.set("a", undefined);
    expect(clock.pending).toBe(0);
    clock.advance(30);
    expect(woken).toEqual([]);
  });

  test("of 200,000 tasks wake each of them at its time", () => {
    const { clock, woken, wakeUps } = openWakeUps();
    const count = 200_000;
    for (let task = 0; task < count; task += 1) wakeUps.set(`${task}`, task === 0 ? 10 : 20);
    clock.advance(10);
    expect(woken).toEqual(["0"]);
    clock.advance(10);
    expect(woken).toHaveLength(count);
  });

  test("that a wake-up sets again wait for their time", () => {
    const clock = stillClock();
    const times: number[] = [];
    const wakeUps = new WakeUps(clock, (taskId) => {
      times.push(clock.now());
      wakeUps.set(taskId, clock.now() + 10);
    });
    wakeUps.set("a", 10);
    for (let step = 0; step < 3; step += 1) clock.advance(10);
    expect(times).toEqual([10, 20, 30]);
  });
});
