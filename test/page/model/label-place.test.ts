import { expect, it } from "vitest";
import { taskMachine } from "../../../machines/index.ts";
import { chartOf } from "../../../visualize/chart/chart-of.ts";
import { labelOf } from "../../../visualize/chart/label.ts";
import { denseLayoutOf } from "../../../visualize/chart/layout.ts";
import { labelPlace } from "../../../visualize/page/model/label-place.ts";

/** The size of a label's text with the largest font, without the frame. */
const sizeOf = (lines: readonly string[]) => ({
  width: Math.max(0, ...lines.map((line) => line.length)) * 12,
  height: lines.length * 26,
});

it("keeps the label of each transition of the task machine within the chart", async () => {
  const chart = chartOf(taskMachine);
  const layout = await denseLayoutOf(chart);
  for (const edge of chart.edges) {
    const lines = labelOf(edge);
    const { width, height } = sizeOf(lines);
    const { x, y } = labelPlace(layout.edges[edge.id]?.points ?? [], lines, layout);
    expect(x - width / 2, edge.id).toBeGreaterThanOrEqual(0);
    expect(x + width / 2, edge.id).toBeLessThanOrEqual(layout.width);
    expect(y - height / 2, edge.id).toBeGreaterThanOrEqual(0);
    expect(y + height / 2, edge.id).toBeLessThanOrEqual(layout.height);
  }
});

it("keeps a label off a state where its route has space, and else at the midpoint of the longest segment", () => {
  const layout = {
    width: 1000,
    height: 1000,
    states: {
      a: { x: 100, y: 100, width: 800, height: 800 },
      "a.b": { x: 450, y: 450, width: 100, height: 30 },
    },
    edges: {},
  };
  const route = [
    { x: 500, y: 200 },
    { x: 500, y: 700 },
  ];
  const { x, y } = labelPlace(route, ["ab"], layout);
  expect(x).toBe(500);
  expect(Math.abs(y - 465)).toBeGreaterThan((30 + 26) / 2);
  expect(Math.abs(y - 465)).toBeLessThan(60);
  const free = route.map((point) => ({ ...point, x: 300 }));
  expect(labelPlace(free, ["ab"], layout)).toEqual({ x: 300, y: 450 });
});
