import { describe, expect, it } from "vitest";
import { createMachine } from "xstate";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import type { ChartBox, ChartPoint } from "../../../visualize/chart/chart.ts";
import { chartOf } from "../../../visualize/chart/chart-of.ts";
import { formatTransitions, labelOf } from "../../../visualize/chart/label.ts";
import { layoutOf } from "../../../visualize/chart/layout.ts";
import { machineTransitions } from "../../../visualize/trace/transitions/transition-table.ts";

const lamp = createMachine({
  id: "lamp",
  initial: "off",
  on: { dust: { guard: "isOld", actions: "cough" }, fuse: { target: ".off" } },
  states: {
    off: {
      on: {
        press: [{ guard: "hasPower", target: "on", actions: ["glow", "hum"] }, { actions: "click" }],
        "power.cut": "on",
        "power.back": "on",
      },
    },
    on: {
      initial: "dim",
      entry: "warm",
      exit: "cool",
      states: {
        dim: { on: { press: "#lamp.off", turn: { target: "dim", reenter: true, actions: "flicker" } } },
        bright: { always: [{ guard: "isHot", target: "dim" }, { target: "#lamp.off" }] },
      },
    },
  },
});

describe("the chart of a machine", () => {
  const chart = chartOf(lamp);

  it("has each state once, parents before children, with parent and initial flag", () => {
    expect(chart.states.map(({ path, name, parent, isInitial }) => [path, name, parent, isInitial])).toEqual([
      ["off", "off", undefined, true],
      ["on", "on", undefined, false],
      ["on.dim", "dim", "on", true],
      ["on.bright", "bright", "on", false],
    ]);
  });

  it("has the entry and exit actions and the internal transitions of a state", () => {
    const [off, on, dim] = chart.states;
    expect(off?.inner).toEqual(["press / click"]);
    expect(on).toMatchObject({ entry: ["warm"], exit: ["cool"], inner: [] });
    expect(dim?.inner).toEqual(["turn / flicker -> on.dim"]);
    expect(chart.inner).toEqual(["dust [isOld] / cough", "fuse -> off"]);
  });

  it("has one edge for all transitions from one state to another", () => {
    expect(chart.edges).toEqual([
      {
        id: "off -> on",
        source: "off",
        target: "on",
        rows: [
          { event: "press", guard: "hasPower", actions: ["glow", "hum"] },
          { event: "power.cut", actions: [] },
          { event: "power.back", actions: [] },
        ],
      },
      { id: "on.dim -> off", source: "on.dim", target: "off", rows: [{ event: "press", actions: [] }] },
      {
        id: "on.bright -> on.dim",
        source: "on.bright",
        target: "on.dim",
        rows: [{ event: "", guard: "isHot", actions: [] }],
      },
      { id: "on.bright -> off", source: "on.bright", target: "off", rows: [{ event: "", actions: [] }] },
    ]);
  });

  it("of the task machine has every transition of its table", () => {
    const { inner, states, edges } = chartOf(taskMachine);
    const count =
      inner.length +
      states.flatMap((state) => [
        ...(state.entry.length > 0 ? [0] : []),
        ...(state.exit.length > 0 ? [0] : []),
        ...state.inner,
      ]).length +
      edges.flatMap(({ rows }) => rows).length;
    expect(count).toBe(machineTransitions(taskMachine).length);
  });

  it("labels an edge with its events, grouped by noun, and with the guards of eventless transitions", () => {
    const [press, , hot, cold] = chart.edges;
    expect([press, hot, cold].map((edge) => edge && labelOf(edge))).toEqual([
      ["press", "power.cut | back"],
      ["[isHot]"],
      [],
    ]);
    expect(press && formatTransitions(press)).toBe("press [hasPower] / glow, hum\npower.cut\npower.back");
  });

  it("counts the further lines of a label", () => {
    const rows = ["a.b", "c.d", "e.f"].map((event) => ({ event, actions: [] }));
    expect(labelOf({ id: "x", source: "x", target: "y", rows })).toEqual(["a.b", "+2"]);
  });
});

describe("the layout of a chart", () => {
  it("of the task machine has all states within their parents without overlap, and each edge between its states", async () => {
    const chart = chartOf(taskMachine);
    const { states, edges, width, height } = await layoutOf(chart);
    const box = (path: string): ChartBox => states[path] ?? { x: Number.NaN, y: 0, width: 0, height: 0 };
    const whole = { x: 0, y: 0, width, height };
    for (const { path, parent } of chart.states)
      expect(isWithin(box(path), parent === undefined ? whole : box(parent)), path).toBe(true);
    const overlaps = chart.states.flatMap((one, index) =>
      chart.states
        .slice(index + 1)
        .filter((other) => other.parent === one.parent && isOverlapping(box(one.path), box(other.path)))
        .map((other) => `${one.path} and ${other.path}`),
    );
    expect(overlaps).toEqual([]);
    for (const { id, source, target } of chart.edges) {
      const points = edges[id]?.points ?? [];
      expect(points.length, id).toBeGreaterThan(1);
      expect(isOnBorder(points[0], box(source)), `${id} begins at its source`).toBe(true);
      expect(isOnBorder(points.at(-1), box(target)), `${id} ends at its target`).toBe(true);
    }
  });

  it("is deterministic", async () => {
    const chart = chartOf(taskMachine);
    expect(await layoutOf(chart)).toEqual(await layoutOf(chart));
  });

  it("labels most edges with events, each on its own edge, over no state and no other label", async () => {
    const chart = chartOf(taskMachine);
    const { states, edges } = await layoutOf(chart);
    const leaves = chart.states.filter(({ path }) => chart.states.every(({ parent }) => parent !== path));
    const labels = Object.values(edges).flatMap(({ label }) => label ?? []);
    const worded = chart.edges.filter((edge) => labelOf(edge).length > 0);
    expect(labels.length).toBeGreaterThan(worded.length / 2);
    for (const [index, label] of labels.entries()) {
      for (const { path } of leaves) {
        const state = states[path];
        expect(state !== undefined && isOverlapping(label, state), `${label.text} on ${path}`).toBe(false);
      }
      for (const other of labels.slice(index + 1))
        expect(isOverlapping(label, other), `${label.text} on ${other.text}`).toBe(false);
    }
    for (const { points, label } of Object.values(edges)) {
      if (label === undefined) continue;
      const middle = { x: label.x + label.width / 2, y: label.y + label.height / 2 };
      expect(points.slice(1).some((to, index) => isBetween(middle, points[index], to))).toBe(true);
    }
  });
});

const isBetween = (at: ChartPoint, from: ChartPoint | undefined, to: ChartPoint): boolean =>
  from !== undefined &&
  Math.abs(at.y - from.y) <= NEAR &&
  from.y === to.y &&
  at.x >= Math.min(from.x, to.x) &&
  at.x <= Math.max(from.x, to.x);

/** Rounding loses a tenth of a pixel. */
const NEAR = 0.5;

const isWithin = (inner: ChartBox, outer: ChartBox): boolean =>
  inner.x >= outer.x - NEAR &&
  inner.y >= outer.y - NEAR &&
  inner.x + inner.width <= outer.x + outer.width + NEAR &&
  inner.y + inner.height <= outer.y + outer.height + NEAR;

const isOverlapping = (a: ChartBox, b: ChartBox): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function isOnBorder(point: { readonly x: number; readonly y: number } | undefined, box: ChartBox): boolean {
  if (point === undefined) return false;
  const isAcross = (at: number, from: number, size: number): boolean =>
    at >= from - NEAR && at <= from + size + NEAR;
  const isAt = (at: number, from: number, size: number): boolean =>
    Math.abs(at - from) <= NEAR || Math.abs(at - from - size) <= NEAR;
  return (
    (isAt(point.x, box.x, box.width) && isAcross(point.y, box.y, box.height)) ||
    (isAt(point.y, box.y, box.height) && isAcross(point.x, box.x, box.width))
  );
}
