import { describe, expect, it } from "vitest";
import { initialTransition } from "xstate";
import { taskMachine } from "../../machines/task/index.ts";
import { machineTransitions } from "../../trace/index.ts";
import { CoverageMeter } from "../../verify/coverage.ts";

const [snapshot] = initialTransition(taskMachine, { taskId: "t1" });
const taken = (of: ReadonlyMap<string, boolean>): readonly string[] =>
  [...of].flatMap(([name, is]) => (is ? [name] : []));
const rowsOf = (state: string, event: string) =>
  taskMachine.getStateNodeById(`${taskMachine.id}.${state}`).transitions.get(event) ?? [];

describe("how much of the machine's table was taken", () => {
  it("is told of every row and of every state that has none within it", () => {
    const { states, transitions } = new CoverageMeter(taskMachine).coverage;
    const rows = machineTransitions(taskMachine).filter(({ event }) => event !== "entry" && event !== "exit");
    expect(transitions.size).toBe(rows.length);
    expect([...transitions.keys()].filter((row) => row.startsWith("no_task "))).toMatchInlineSnapshot(`
      [
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
        "running.commanding",
        "running.checkpointing",
        "running.delegated",
        "running.retrying",
        "streaming.preparing",
        "streaming.receiving",
        "streaming.answered",
        "streaming.finishing",
        "waiting_for_input.approval",
        "waiting_for_input.answer",
        "idle.completing",
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

  it("grows by the row, the state that it leads to, and the one where the macrostep settled", () => {
    const meter = new CoverageMeter(taskMachine);
    meter.note(rowsOf("no_task", "task.start"), snapshot);
    expect(taken(meter.coverage.states)).toEqual(["no_task", "running.starting"]);
    expect(taken(meter.coverage.transitions)).toEqual(["no_task task.start -> running"]);
  });

  it("does not grow by no row, or by one that was taken", () => {
    const meter = new CoverageMeter(taskMachine);
    meter.note([], snapshot);
    expect(taken(meter.coverage.states)).toEqual([]);
    meter.note(rowsOf("no_task", "task.start"), snapshot);
    const before = taken(meter.coverage.states);
    meter.note(rowsOf("no_task", "task.start"), { ...snapshot, value: "resumable" });
    expect(taken(meter.coverage.states)).toEqual(before);
  });
});
