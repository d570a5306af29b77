import { createElement } from "react";
import { describe, expect, it } from "vitest";
import { CostPlot } from "../../../visualize/page/panes/state/cost-plot.tsx";
import { TaskList } from "../../../visualize/page/shell/tasks/task-list.tsx";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { htmlOf } from "./markup.ts";

const task = (id: string, cost: number | null): TaskInfo => ({
  ...{ id, title: id, state: "idle", path: "idle.completed", cost, createdAt: 1, updatedAt: 1 },
  ...{ isOpen: false, asks: [] },
});

describe("an unknown cost", () => {
  it("is named in the list of tasks, and in its total; a cost of 0 is left out", () => {
    const tasks = [task("a", 0.5), task("b", null), task("c", 0)];
    const clock = { now: () => 1, everySecond: () => () => {} };
    const nothing = {
      shown: undefined,
      query: "",
      clock,
      actions: undefined,
      search: undefined,
      onNotify: undefined,
    };

    const ignored = { onQuery: () => {}, onOpen: () => {}, onError: () => {} };
    const html = htmlOf(createElement(TaskList, { tasks, ...nothing, ...ignored }));
    expect(html).toContain("total cost unknown");
    expect(html).toContain('data-column="cost">unknown</span>');
    expect(html).toContain('data-column="cost">$0.50</span>');
    expect(html).toContain('data-column="cost" data-empty="true"></span>');
    expect(html).not.toContain("$0.00");
  });

  it("ends the line of the plot", () => {
    const total = { at: 1, tokensIn: 1, tokensOut: 1 };
    const usage = [
      { ...total, seq: 1, cost: 0.5 },
      { ...total, seq: 2, cost: null },
    ];
    const plotAt = (at: number): string => htmlOf(createElement(CostPlot, { usage, at, end: 2 }));
    expect(plotAt(1)).toContain("Cost by event: $0.50 of $0.50");
    expect(plotAt(2)).toContain("Cost by event: cost unknown");
    expect(plotAt(2)).toMatch(/class="sb-cost" d="[^"]*H120V5"/);
  });
});
