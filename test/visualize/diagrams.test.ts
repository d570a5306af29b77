import { describe, expect, it } from "vitest";
import { createMachine } from "xstate";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { mermaid } from "../../visualize/index.ts";
import { transitionTable } from "../../visualize/trace/index.ts";
import { machineTransitions } from "../../visualize/trace/transitions/transition-table.ts";
import { wrapLines } from "../support/summary.ts";

const lamp = createMachine({
  id: "lamp",
  initial: "off",
  states: {
    off: {
      on: { press: [{ guard: "hasPower", target: "on", actions: ["glow", "hum"] }, { actions: "click" }] },
    },
    on: { initial: "dim", entry: "warm", states: { dim: { on: { press: "#lamp.off" } } } },
  },
});

describe("the transition table", () => {
  it("names state, event, guard, target and actions of each transition, in order", () => {
    expect(transitionTable(lamp)).toBe(
      [
        "state  | event | guard    | target | actions",
        "off    | press | hasPower | on     | glow, hum",
        "off    | press |          |        | click",
        "on     | entry |          |        | warm",
        "on.dim | press |          | off    |",
        "",
      ].join("\n"),
    );
  });

  it("of the task machine is committed: changes are reviewed", async () => {
    await expect(wrapLines(transitionTable(taskMachine))).toMatchFileSnapshot(
      "../traces/task.transitions.txt",
    );
  });

  it("names everything: the task machine has no inline parts", () => {
    const rows = machineTransitions(taskMachine);
    expect(rows.filter(({ actions, guard }) => [...actions, guard].includes("(inline)"))).toEqual([]);
  });
});

describe("the diagram", () => {
  it("of the top level has one arrow for each pair of states", () => {
    expect(mermaid(lamp)).toBe(
      [
        "stateDiagram-v2",
        '  state "off" as off',
        '  state "on" as on',
        "  [*] --> off",
        "  off --> on : press",
        "  on --> off : press",
        "",
      ].join("\n"),
    );
  });

  it("with `full` nests the states and names the guards", () => {
    expect(mermaid(lamp, { full: true })).toContain("off --> on : press [hasPower]");
    expect(mermaid(lamp, { full: true })).toContain("on_dim --> off : press");
  });

  it("shows the task machine as it is committed", async () => {
    await expect(mermaid(taskMachine)).toMatchFileSnapshot("../traces/task.mermaid.txt");
  });
});
