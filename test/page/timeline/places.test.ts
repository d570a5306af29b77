import { expect, it } from "vitest";
import { placesOn } from "../../../visualize/page/timeline/places.ts";
import { axisOf } from "../../../visualize/page/timeline/time-scale.ts";
import { START, trace, WAITING } from "./support.ts";

const task = trace(WAITING);
const end = START + 1_054_800;
const byTime = placesOn(
  axisOf({ start: START, end, width: 100_012, folds: [], view: undefined, isTime: true }),
  task,
  end,
  true,
);
const byEvent = placesOn(
  axisOf({ start: 0, end: task.length, width: 1_312, folds: [], view: undefined, isTime: false }),
  task,
  task.length,
  false,
);

it("the event of a place by time is the last one that happened until then", () => {
  expect(byTime.eventAt(byTime.ofEvent(3))).toBe(3);
  expect(byTime.eventAt((byTime.ofEvent(3) + byTime.ofEvent(4)) / 2)).toBe(3);
  expect(byTime.eventAt(0)).toBe(0);
  expect(byTime.eventAt(1e9)).toBe(12);
});

it("each event has the same width by event, whenever it happened", () => {
  expect([0, 1, 11, 12].map((seq) => Math.round(byEvent.ofEvent(seq)))).toEqual([56, 156, 1_156, 1_256]);
  expect([0, 107, 1_300, 5_000].map(byEvent.eventAt)).toEqual([0, 1, 12, 12]);
});

it("the width of a bar is its duration by time, and the number of its events by event", () => {
  const widths = ({ ofBar }: typeof byTime, kinds: readonly string[]) =>
    task.index.timeline.bars
      .filter(({ kind }) => kinds.includes(kind))
      .map((bar) => Math.round(ofBar(bar)[1] - ofBar(bar)[0]));
  const perMs = 100_000 / 1_054_800;
  expect(widths(byTime, ["tool", "response"])).toEqual([2_100, 6_000].map((ms) => Math.round(ms * perMs)));
  expect(widths(byEvent, ["tool", "response"])).toEqual([300, 100]);
});
