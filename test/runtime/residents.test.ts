import { describe, expect, test } from "vitest";
import { Residents } from "../../runtime/residents.ts";
import { TestClock } from "../actors/protocol/host.ts";

/** Residents with tasks of these names; `busy` ones can't be passivated. */
function residentsOf(options: { passivateAfterMs?: number; maxResident?: number } = {}) {
  const clock = new TestClock();
  const passivated: string[] = [];
  const errors: unknown[] = [];
  const residents = new Residents<Member>({
    clock,
    passivateAfterMs: 100,
    maxResident: Number.POSITIVE_INFINITY,
    onError: (error) => errors.push(error),
    ...options,
  });
  class Member {
    isBusy = false;
    readonly name: string;
    constructor(name: string) {
      this.name = name;
    }
    async passivate() {
      if (this.isBusy) return false;
      passivated.push(this.name);
      residents.remove(this);
      return true;
    }
  }
  return { clock, residents, passivated, errors, member: (name: string) => new Member(name) };
}

describe("the tasks of a host that have actors", () => {
  test("are passivated when they were not used for the time, with one timer for all", () => {
    const { clock, residents, passivated, member } = residentsOf();
    const start = clock.now();
    const [one, two] = [member("one"), member("two")];
    residents.use(one);
    clock.moveTo(start + 60);
    residents.use(two);
    expect(clock.waiting).toBe(1);
    residents.use(one);
    clock.moveTo(start + 159);
    expect(passivated).toEqual([]);
    clock.moveTo(start + 160);
    expect(passivated).toEqual(["two", "one"]);
    expect(clock.waiting).toBe(0);
  });

  test("are passivated in the order of their last use where they are too many", () => {
    const { residents, passivated, member } = residentsOf({ maxResident: 2 });
    const [one, two, three] = [member("one"), member("two"), member("three")];
    for (const task of [one, two, one, three]) residents.use(task);
    expect(passivated).toEqual(["two"]);
  });

  test("are passivated once for each that is too many, while passivations have not ended", async () => {
    const { residents, passivated, member } = residentsOf({ maxResident: 2 });
    let end = () => {};
    const written = new Promise<void>((resolve) => {
      end = resolve;
    });
    const tasks = ["one", "two", "three", "four"].map(member);
    for (const task of tasks) {
      const passivate = task.passivate.bind(task);
      task.passivate = () => written.then(passivate);
      residents.use(task);
    }
    for (const task of tasks.slice(2)) residents.use(task);
    end();
    await new Promise(setImmediate);
    expect(passivated).toEqual(["one", "two"]);
  });

  test("stay while they are busy, and are looked at again after their next use", () => {
    const { clock, residents, passivated, member } = residentsOf();
    const one = member("one");
    one.isBusy = true;
    residents.use(one);
    clock.moveTo(clock.now() + 1000);
    expect([passivated, clock.waiting]).toEqual([[], 0]);
    one.isBusy = false;
    residents.use(one);
    clock.moveTo(clock.now() + 100);
    expect(passivated).toEqual(["one"]);
  });

  test("report an error of a passivation", async () => {
    const { clock, residents, errors, member } = residentsOf();
    const one = member("one");
    one.passivate = () => Promise.reject(new Error("no"));
    residents.use(one);
    clock.moveTo(clock.now() + 100);
    await Promise.resolve();
    await Promise.resolve();
    expect(errors).toEqual([new Error("no")]);
  });

  test("are left alone once the host closes", () => {
    const { clock, residents, passivated, member } = residentsOf();
    residents.use(member("one"));
    residents.close();
    clock.moveTo(clock.now() + 1000);
    expect([passivated, clock.waiting]).toEqual([[], 0]);
  });
});
