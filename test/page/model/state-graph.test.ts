import { expect, it } from "vitest";
import { taskMachine } from "../../../machines/index.ts";
import { callMachine } from "../../../machines/tool-call/call.machine.ts";
import type { Chart } from "../../../visualize/chart/chart.ts";
import { chartOf } from "../../../visualize/chart/chart-of.ts";
import { EdgePaths } from "../../../visualize/page/model/edge-paths.ts";
import { edgeSum, hasSixStates, mergedEdges, stateSums } from "../../../visualize/page/model/state-graph.ts";
import { VisitCounter, withOpenTime } from "../../../visualize/page/model/visit-counts.ts";
import { recorded, snapshotOf } from "../panes/trace.ts";

const chart = chartOf(taskMachine);
const trace = snapshotOf(recorded("v2/approving"));
const end = trace.length - 1;
const visits = new VisitCounter(new EdgePaths(chart)).at(trace, end);
const path = trace.index.paths[end] ?? "";

it("each edge between two of the six states is in one merged edge, and no other edge is", () => {
  const merged = mergedEdges(chart);
  const top = (state: string): string | undefined => state.split(".")[0];
  const between = chart.edges.filter(({ source, target }) => top(source) !== top(target));
  expect(
    merged
      .flatMap(({ edges }) => edges)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(between.map(({ id }) => id).sort());
  for (const { id, edges } of merged)
    expect(new Set(edges.map(({ source, target }) => `${top(source)} -> ${top(target)}`))).toEqual(
      new Set([id]),
    );
});

it("the count of a merged edge is the sum of its rows, and inferred where the journal has no microsteps", () => {
  const sums = mergedEdges(chart).map((merged) => ({ ...merged, ...edgeSum(merged.edges, visits) }));
  for (const { id, edges, times, inferred } of sums) {
    const rows = [...visits.rows].filter(([{ edge }]) => edges.some((one) => one.id === edge));
    expect(times, id).toBe(rows.reduce((total, [, count]) => total + count, 0));
    expect(inferred, id).toBe(times);
  }
  const crossed = trace.index.stateSpans.length - 1;
  expect(sums.reduce((total, { times }) => total + times, 0)).toBeGreaterThanOrEqual(crossed);
  expect(sums.filter(({ isLast }) => isLast).map(({ id }) => id)).toEqual([
    "running -> waiting_for_input",
    "streaming -> running",
  ]);
});

it("a row of a microstep is not inferred", () => {
  const event = trace.event(end);
  const steps = [
    {
      event: "llm.finished",
      transitions: [
        { source: "streaming.answered", event: "", guard: "isReviewed", targets: ["running.settling"] },
      ],
      actions: [],
    },
  ];
  const { rows, isInferred } = new EdgePaths(chart).taken({ ...event, microsteps: steps });
  expect(rows.map(({ edge }) => edge)).toEqual(["streaming.answered -> running.settling"]);
  expect(isInferred).toBe(false);
  expect(new EdgePaths(chart).taken(event).isInferred).toBe(true);
});

it("the six states share the time of the task, and the active one names its substate", () => {
  const sums = stateSums(withOpenTime(visits, path, 1_000), path);
  expect(sums.reduce((total, { share }) => total + share, 0)).toBeCloseTo(1);
  const waiting = sums.find(({ state }) => state === "waiting_for_input");
  expect(waiting).toMatchObject({ isActive: true, inner: "approval" });
  expect(waiting?.entries).toBe(visits.entries.get("waiting_for_input"));
  expect(waiting?.time).toBe(1_000 + (visits.times.get("waiting_for_input") ?? 0));
  expect(sums.filter(({ isActive }) => isActive)).toHaveLength(1);
});

it("a task without time has no shares", () => {
  expect(stateSums({ ...visits, times: new Map() }, path).every(({ share }) => share === 0)).toBe(true);
});

it("a chart is drawn as six states only if it has no others, and no pair of them without a route", () => {
  expect(hasSixStates(chart)).toBe(true);
  expect(hasSixStates(chartOf(callMachine))).toBe(false);
  const rare = { id: "x", source: "streaming.receiving", target: "waiting_for_input.answer", rows: [] };
  const changed: Chart = { ...chart, edges: [...chart.edges, rare] };
  expect(hasSixStates(changed)).toBe(false);
});
