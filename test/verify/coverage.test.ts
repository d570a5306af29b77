import { describe, expect, it } from "vitest";
import { initialTransition } from "xstate";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { CoverageMeter } from "../../verify/coverage.ts";
import { machineTransitions } from "../../visualize/trace/transitions/transition-table.ts";

const [snapshot] = initialTransition(taskMachine, { taskId: "t1" });
const taken = (of: ReadonlyMap<string, boolean | number>): readonly string[] =>
  [...of].flatMap(([name, is]) => (is ? [name] : []));
const transitionsOf = (state: string, event: string) =>
  taskMachine.getStateNodeById(`${taskMachine.id}.${state}`).transitions.get(event) ?? [];

describe("the coverage of the machine's transitions", () => {
  it("lists every transition and every leaf state", () => {
    const { states, transitions } = new CoverageMeter(taskMachine).coverage;
    const expected = machineTransitions(taskMachine).filter(
      ({ event }) => event !== "entry" && event !== "exit",
    );
    expect(transitions.size).toBe(expected.length);
    expect([...transitions.keys()].filter((name) => name.startsWith("no_task "))).toMatchInlineSnapshot(`
      [
        "no_task completion.selected -> stays",
        "no_task task.start -> running",
        "no_task always [wasCompleted] -> idle.reopened",
        "no_task always [isReopened] -> resumable",
      ]
    `);
    expect([...states.keys()]).toMatchInlineSnapshot(`
      [
        "no_task",
        "running.starting",
        "running.requesting",
        "running.settling",
        "running.calling",
        "running.hooking",
        "running.commanding",
        "running.checkpointing",
        "running.delegated",
        "running.retrying",
        "running.pacing",
        "streaming.preparing",
        "streaming.hooking",
        "streaming.measuring",
        "streaming.condensing",
        "streaming.receiving",
        "streaming.answered",
        "streaming.finishing",
        "waiting_for_input.approval",
        "waiting_for_input.answer",
        "waiting_for_input.elicitation",
        "idle.completing",
        "idle.delivering",
        "idle.completed",
        "idle.declined",
        "idle.reopened",
        "idle.failed",
        "idle.mistaken",
        "idle.limited",
        "resumable",
      ]
    `);
    expect([...taken(states), ...taken(transitions)]).toEqual([]);
  });

  it("lists every transition of a call, and grows by those that calls take", () => {
    const meter = new CoverageMeter(taskMachine);
    const { calls } = meter.coverage;
    expect([...calls.keys()].filter((name) => name.startsWith("hooking "))).toEqual([
      "hooking hooks.passed -> approved",
      "hooking hooks.passed -> decided",
      "hooking hooks.amended -> deciding",
      "hooking settled -> settled",
    ]);
    expect(taken(calls)).toEqual([]);
    meter.noteCalls([{ type: "call.moved", callId: "c1", by: "started", from: "approved", to: "running" }]);
    expect(taken(calls)).toEqual(["approved started -> running"]);
  });

  it("grows by the transition, its target, and the state where the macrostep settled", () => {
    const meter = new CoverageMeter(taskMachine);
    meter.note(transitionsOf("no_task", "task.start"), snapshot);
    expect(taken(meter.coverage.states)).toEqual(["no_task", "running.starting"]);
    expect(taken(meter.coverage.transitions)).toEqual(["no_task task.start -> running"]);
  });

  it("counts how often a transition was taken", () => {
    const meter = new CoverageMeter(taskMachine);
    const starts = transitionsOf("no_task", "task.start");
    meter.note(starts, snapshot);
    meter.note([...starts, ...starts], snapshot);
    expect(meter.coverage.transitions.get("no_task task.start -> running")).toBe(3);
    const moved = {
      type: "call.moved",
      callId: "c1",
      by: "started",
      from: "approved",
      to: "running",
    } as const;
    meter.noteCalls([moved, moved]);
    expect(meter.coverage.calls.get("approved started -> running")).toBe(2);
  });

  it("does not grow without a new transition", () => {
    const meter = new CoverageMeter(taskMachine);
    meter.note([], snapshot);
    expect(taken(meter.coverage.states)).toEqual([]);
    meter.note(transitionsOf("no_task", "task.start"), snapshot);
    const before = taken(meter.coverage.states);
    meter.note(transitionsOf("no_task", "task.start"), { ...snapshot, value: "resumable" });
    expect(taken(meter.coverage.states)).toEqual(before);
  });
});
