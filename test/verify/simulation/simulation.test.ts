import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { assign } from "xstate";
import type { LogEvent } from "../../../machines/message/log.ts";
import { StateTracker } from "../../../machines/message/tracker.ts";
import type { TaskContext } from "../../../machines/task/task.context.ts";
import type { TaskEvent } from "../../../machines/task/task.events.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { allowEverything, type Policy } from "../../../tools/index.ts";
import { monitorMessages } from "../../../verify/monitor/messages.ts";
import { replay } from "../../../verify/replay.ts";
import { NO_FAULTS } from "../../../verify/simulation/faults.ts";
import type { SimulatedPolicy } from "../../../verify/simulation/policy.ts";
import { simulate } from "../../../verify/simulation/simulation.ts";
import { soak } from "../../../verify/simulation/soak.ts";

const READ = { tool: "read_file", input: { path: "a" } };
const WRITE = { tool: "write_to_file", input: { path: "a" } };
const seeds = Array.from({ length: 25 }, (_, index) => index + 1);
const now = () => 0;

describe("a simulated task", () => {
  it("has the same log for the same seed, byte for byte (L15)", () => {
    for (const seed of seeds)
      expect(JSON.stringify(simulate({ seed }))).toBe(JSON.stringify(simulate({ seed })));
  });

  it("has another log for another seed", () => {
    const logs = new Set(seeds.map((seed) => JSON.stringify(simulate({ seed }).log)));
    expect(logs.size).toBe(seeds.length);
  });

  it("holds every law through crashes, cuts, cancels and full disks, and ends (L1-L8, L10-L14, L16)", () => {
    const found = soak({ seed: 1_000, tasks: 120, now });
    expect(found.failure).toBeUndefined();
    expect(found.crashes).toBeGreaterThan(5);
    expect(found.ends.cut).toBe(0);
    expect(found.ends.completed + found.ends.left).toBe(120);
    expect([...found.coverage.transitions.values()].filter(Boolean).length).toBeGreaterThan(60);
  });

  it("leaves messages without a violation (L3, L4, L5, L8)", () => {
    for (const seed of seeds) expect(monitorMessages(simulate({ seed }).log)).toEqual([]);
  });

  it("has a path whose replay yields the same log", () => {
    for (const seed of seeds) {
      const { path, log, input } = simulate({ seed });
      const last = replay(path, taskMachine, input).at(-1);
      expect(last !== undefined && "after" in last && last.after.context.log.toArray()).toEqual(log);
    }
  });

  it("follows its script, and without faults has these messages", () => {
    const script = [
      { text: "I look.", calls: [READ] },
      { text: "I write.", calls: [WRITE] },
    ];
    const policy: SimulatedPolicy = () => ({ kind: "allow", rule: "all" });
    const { log, end } = simulate({
      seed: 3,
      script,
      policy,
      faults: NO_FAULTS,
      input: { checkpoints: false },
    });
    expect(end).toBe("completed");
    expect(log.slice(0, 9).map(({ ask, say }) => ask ?? say)).toEqual([
      "text",
      "api_req_started",
      "text",
      "tool",
      "tool",
      "api_req_started",
      "text",
      "tool",
      "tool",
    ]);
  });
});

describe("the options of a simulation", () => {
  it("a custom policy decides its calls (L7)", () => {
    expectTypeOf<Policy>().toExtend<SimulatedPolicy>();
    const rules = new Set<string>();
    for (const seed of seeds) {
      const { path } = simulate({ seed, policy: allowEverything() });
      for (const event of path)
        if (event.type === "call.reviewed" && event.review.valid && event.review.verdict.kind === "allow")
          rules.add(event.review.verdict.rule);
    }
    expect(rules.size).toBeGreaterThan(0);
  });

  it("an asynchronous policy is rejected with an error", () => {
    const policy: SimulatedPolicy = () => Promise.resolve({ kind: "ask" });
    const script = [{ text: "I look.", calls: [READ] }];
    expect(() => simulate({ seed: 1, script, policy, faults: NO_FAULTS })).toThrow(
      expect.objectContaining({ code: "SIMULATION", message: expect.stringContaining("returned a promise") }),
    );
  });

  it("an unresponsive tool is cancelled by the user, and the task still ends (L13)", () => {
    const script = [{ text: "I write.", calls: [WRITE] }];
    const { path, end } = simulate({
      seed: 5,
      script,
      faults: { ...NO_FAULTS, toolHangs: 1 },
      policy: () => ({ kind: "allow", rule: "all" }),
    });
    expect(path.map(({ type }) => type)).toContain("task.cancel");
    expect(["completed", "left"]).toContain(end);
  });
});

describe("a simulated task of an incorrect machine", () => {
  const faults = { ...NO_FAULTS, contextFails: 1 };
  const types = ({ path }: ReturnType<typeof simulate>) => path.map(({ type }) => type);
  const toFailure = ["task.start", "task.opened", "context.failed"];

  it("ends at a dead end (L13)", () => {
    const machine = taskMachine.provide({ actions: { askAboutFailure: () => {} } });
    const task = simulate({ seed: 1, machine, faults, laws: [] });
    expect(task.violation).toMatchObject({
      law: "L13",
      title: "some event leads on",
      what: "nothing can move a task in idle.failed",
    });
    expect([task.end, task.steps, types(task)]).toEqual(["broken", 3, toFailure]);
    expect(task.violation?.path).toEqual(task.path);
  });

  it("ends when the machine throws, with the event", () => {
    const failing = assign<TaskContext, TaskEvent, undefined, TaskEvent, never>(() => {
      throw new RangeError("no ask is left");
    });
    const machine = taskMachine.provide({ actions: { askAboutFailure: failing } });
    const task = simulate({ seed: 1, machine, faults });
    expect(task.violation).toMatchObject({
      law: "INVARIANT",
      title: "the machine throws nothing",
      what: "RangeError: no ask is left",
    });
    expect([task.end, task.steps, types(task)]).toEqual(["broken", 2, toFailure]);
  });

  it("ends at the first of several violations", () => {
    const law = (id: string) => ({ id, title: id, violation: () => `${id} broke` });
    const task = simulate({ seed: 1, faults, laws: [law("HOUSE-1"), law("HOUSE-2")] });
    expect(task.violation).toMatchObject({ law: "HOUSE-1", what: "HOUSE-1 broke" });
    expect(types(task)).toEqual(["task.start"]);
  });
});

describe("the tracker of a simulated task", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("lives as long as its task: a failure after twenty events of one process is found (L2)", () => {
    const { apply } = StateTracker.prototype;
    const lived = new WeakMap<StateTracker, number>();
    vi.spyOn(StateTracker.prototype, "apply").mockImplementation(function (
      this: StateTracker,
      event: LogEvent,
    ) {
      const events = (lived.get(this) ?? 0) + 1;
      lived.set(this, events);
      const info = apply.call(this, event);
      return events > 20 ? { ...info, state: "no_task" } : info;
    });
    const { failure } = soak({ tasks: 20, faults: NO_FAULTS, now });
    expect(failure?.violation.law).toBe("L2");
    expect(failure?.violation.what).toContain("the tracker has no_task");
  });
});

describe("a soak", () => {
  it("finds a fault of the machine and reports its law and seed, which reproduces it", () => {
    const machine = taskMachine.provide({ actions: { askAboutFailure: () => {} } });
    const faults = { requestFails: 0.5 };
    const { failure, tasks } = soak({ machine, faults, tasks: 60, now });
    expect(failure?.violation.law).toBe("L1");
    expect(failure?.seed).toBe(tasks);
    const again = simulate({ seed: failure?.seed ?? 0, machine, faults });
    expect(again.violation).toEqual(failure?.violation);
  });

  it("reports a law that throws, with the state", () => {
    const law = {
      id: "HOUSE-1",
      title: "nothing streams",
      violation: ({ after }: { after: { state: string } }) => {
        if (after.state.startsWith("streaming")) throw new Error("oh");
        return undefined;
      },
    };
    const { violation, end } = simulate({ seed: 1, laws: [law], faults: NO_FAULTS });
    expect(end).toBe("broken");
    expect(violation).toMatchObject({ law: "HOUSE-1" });
    expect(violation?.what).toContain("the law threw Error: oh at running.starting, task.opened");
  });
});
