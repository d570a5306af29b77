import { beforeAll, describe, expect, it } from "vitest";
import { taskMachine } from "../../../machines/index.ts";
import { chartOf } from "../../../visualize/chart/chart-of.ts";
import { ancestry, EdgePaths } from "../../../visualize/page/model/edge-paths.ts";
import { VisitCounter } from "../../../visualize/page/model/visit-counts.ts";
import { type TraceEvent, TraceLog } from "../../../visualize/trace/index.ts";
import { snapshotOf } from "../panes/trace.ts";
import { recordTask } from "../recorded.ts";

const chart = chartOf(taskMachine);
const edges = new Map(chart.edges.map((edge) => [edge.id, edge]));
let events: readonly TraceEvent[] = [];
let trace: TraceLog;

beforeAll(async () => {
  events = await recordTask();
  trace = new TraceLog(events[0]?.taskId ?? "", events);
});

describe("the edges that an event took", () => {
  it("form a path from the state before to the state after", () => {
    const edgePaths = new EdgePaths(chart);
    for (const event of events) {
      if (event.record.kind !== "commit") continue;
      const { before, after } = event.record;
      const way = edgePaths.taken(event).rows.map(({ edge }) => edges.get(edge)!);
      if (before !== after) expect(way.length, `event ${event.seq}`).toBeGreaterThan(0);
      let here = before;
      for (const { source, target } of way) {
        expect(ancestry(here), `event ${event.seq}`).toContain(source);
        here = edgePaths.leafOf(target);
      }
      if (way.length > 0) expect(here, `event ${event.seq}`).toBe(after);
    }
  });

  it("lead from top state to top state where the substates are not known, as in a session of another agent", () => {
    const edgePaths = new EdgePaths(chart);
    const [event] = events.filter(({ record }) => record.kind === "commit");
    const top = (path: string | undefined): string => (path ?? "").split(".")[0] ?? "";
    const taken = (before: string, after: string) => {
      const record = {
        ...event!.record,
        before,
        after,
        cause: { type: "transcript.turn", at: 1 },
        effects: [],
      };
      return edgePaths.taken({ ...event!, record } as TraceEvent);
    };
    for (const [before, after] of [
      ["no_task", "streaming"],
      ["streaming", "running"],
      ["running", "streaming"],
      ["streaming", "waiting_for_input"],
      ["running", "idle"],
      ["idle", "streaming"],
    ] as const) {
      const { rows, isInferred } = taken(before, after);
      expect(isInferred).toBe(true);
      const way = rows.map(({ edge }) => edges.get(edge)!);
      let here: string = before;
      for (const { source, target } of way) {
        expect(top(source)).toBe(here);
        here = top(target);
      }
      expect(here).toBe(after);
    }
    expect(taken("running", "running").rows).toEqual([]);
  });

  it("are the edges of the microsteps, if there are any", () => {
    const event = events.find(({ record }) => record.kind === "commit" && record.before !== record.after)!;
    const taken = { source: "running.calling", event: "tool.finished", targets: ["running.settling"] };
    const inspected = {
      ...event,
      microsteps: [{ event: "tool.finished", transitions: [taken], actions: [] }],
    };
    expect(new EdgePaths(chart).taken(inspected).rows).toMatchObject([
      { edge: "running.calling -> running.settling" },
    ]);
  });

  it("are counted: states that are passed through have no time, and times add up", () => {
    const shown = snapshotOf(trace);
    const { index } = shown;
    const { entries, times, last } = new VisitCounter(new EdgePaths(chart)).at(shown, trace.length - 1);
    expect(entries.get("running.requesting")).toBeGreaterThan(3);
    expect(times.get("running.requesting")).toBeUndefined();
    const whole = index.times.at(-1)! - index.times[0]!;
    const tops = chart.states.filter(({ parent }) => parent === undefined);
    expect(tops.reduce((sum, { path }) => sum + (times.get(path) ?? 0), 0)).toBe(whole);
    expect(last.at(-1)?.edge).toContain("-> idle.completing");
  });
});

describe("the index of a trace", () => {
  it("finds events by their types and the texts of their messages", () => {
    const { index } = snapshotOf(trace);
    const [cancel] = index.find("task.cancel");
    expect(trace.event(cancel!).record).toMatchObject({ cause: { type: "task.cancel" } });
    expect(index.find("comparison TENTH").length).toBeGreaterThan(0);
    expect(index.find("no such words")).toEqual([]);
    expect(index.find("  ")).toEqual([]);
  });

  it("navigates from state to state, both ways", () => {
    const { index } = snapshotOf(trace);
    const starts = index.stateSpans.map(({ from }) => from);
    const forward: number[] = [0];
    for (let at = 0; at !== index.change(at, 1) && forward.length <= starts.length; at = forward.at(-1)!)
      forward.push(index.change(at, 1));
    expect(forward.slice(0, starts.length)).toEqual(starts);
    expect(index.change(starts[2]!, -1)).toBe(starts[1]);
    expect(index.change(starts[2]! + 1, -1)).toBe(
      starts[2]! + 1 > index.stateSpans[2]!.to ? starts[3] : starts[2],
    );
  });
});
