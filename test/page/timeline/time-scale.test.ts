import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import type { Quiet } from "../../../visualize/page/timeline/lanes.ts";
import {
  axisOf,
  foldsOf,
  including,
  panned,
  type View,
  within,
  zoomed,
} from "../../../visualize/page/timeline/time-scale.ts";

const MIN = 60_000;
const wait = (seq: number, from: number, to?: number): Quiet => ({ reason: "person", seq, from, to });
const NOTHING = new Set<number>();

describe("the folds of an axis", () => {
  const extent = { start: 0, end: 20 * MIN, width: 1_000 };
  const names = (quiet: readonly Quiet[], opened: ReadonlySet<number> = NOTHING) =>
    foldsOf(quiet, extent, opened).map(({ seq, from, to }) => [seq, from, to]);

  it("are the waits that would be wider than their notches", () => {
    expect(names([wait(1, MIN, 18 * MIN)])).toEqual([[1, MIN, 18 * MIN]]);
    expect(names([wait(1, MIN, MIN + 10_000)])).toEqual([]);
  });

  it("have no opened wait, and none below 5 s", () => {
    expect(names([wait(1, MIN, 18 * MIN)], new Set([1]))).toEqual([]);
    const short = { start: 0, end: 5_000, width: 1_000 };
    expect(foldsOf([wait(1, 10, 4_990)], short, NOTHING)).toEqual([]);
  });

  it("end with the axis, if the wait lasts", () => {
    expect(names([wait(4, 2 * MIN)])).toEqual([[4, 2 * MIN, 20 * MIN]]);
  });

  it("are at most 24, the longest ones, in the order of time", () => {
    const many = Array.from({ length: 40 }, (_, at) => wait(at, at * MIN, at * MIN + 10_000 + at * 1_000));
    const folds = foldsOf(many, { start: 0, end: 40 * MIN, width: 100_000 }, NOTHING);
    expect(folds.map(({ seq }) => seq)).toEqual(Array.from({ length: 24 }, (_, at) => at + 16));
  });
});

describe("an axis", () => {
  const folds = foldsOf([wait(1, 5_800, 1_048_800)], { start: 0, end: 1_054_800, width: 1_000 }, NOTHING);
  const whole = { start: 0, end: 1_054_800, width: 1_000, folds, view: undefined, isTime: true };

  it("gives equal times equal widths on both sides of a fold, and the fold a notch", () => {
    const { x, notches } = axisOf(whole);
    expect(x(1_049_800) - x(1_048_800)).toBeCloseTo(x(1_000) - x(0), 6);
    expect(notches).toHaveLength(1);
    expect(x(1_048_800) - x(5_800)).toBeCloseTo(112, 6);
    expect([x(0), x(1_054_800)]).toEqual([6, 994]);
  });

  test.prop([fc.double({ min: 6, max: 994, noNaN: true })])("finds the time of each place", (place) => {
    const axis = axisOf(whole);
    expect(axis.x(axis.at(place))).toBeCloseTo(place, 3);
  });

  it("has round ticks outside of its notches, since its start", () => {
    const seconds = axisOf(whole).ticks.map(({ value }) => value / 1_000);
    expect(seconds).toEqual([0, 1, 2, 3, 4, 1_049, 1_050, 1_051, 1_052, 1_053]);
  });

  it("by event has whole numbers as ticks", () => {
    const { ticks } = axisOf({ start: 0, end: 6, width: 1_000, folds: [], view: undefined, isTime: false });
    expect(ticks.map(({ value }) => value)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("has only the notches of the folds that its view contains", () => {
    expect(axisOf({ ...whole, view: [0, 3_000] }).notches).toEqual([]);
    expect(axisOf({ ...whole, view: [5_000, 7_000] }).notches).toHaveLength(1);
  });

  it("moves its view inside when a wait folds that was opened", () => {
    const view = zoomed(axisOf({ ...whole, folds: [] }), 200, 994);
    expect(view?.[0]).toBeGreaterThan(1_000_000);
    expect(axisOf({ ...whole, view }).view).toEqual([11_800 - 1_054_800 / 200, 11_800]);
  });
});

describe("the view of an axis", () => {
  const axis = (view?: View) =>
    axisOf({ start: 0, end: 10_000, width: 1_012, folds: [], view, isTime: true });

  it("keeps the time under the pointer when it is zoomed", () => {
    const before = axis();
    const after = axis(zoomed(before, 4, 306));
    expect(after.at(306)).toBeCloseTo(before.at(306), 6);
    expect(after.view[1] - after.view[0]).toBeCloseTo(2_500, 6);
  });

  it("is the whole axis again when it is zoomed out as far", () => {
    expect(zoomed(axis(zoomed(axis(), 4, 306)), 0.25, 306)).toBeUndefined();
  });

  it("stays inside of the axis when it is moved", () => {
    expect(panned(axis([1_000, 2_000]), 0.5)).toEqual([1_500, 2_500]);
    expect(panned(axis([1_000, 2_000]), -9)).toEqual([0, 1_000]);
    expect(panned(axis([8_000, 9_000]), 9)).toEqual([9_000, 10_000]);
    expect(panned(axis(), 0.5)).toBeUndefined();
  });

  it("moves to an event outside of it, and not for one inside", () => {
    const view: View = [1_000, 2_000];
    expect(including(axis(view), 1_200)).toBe(view);
    expect(including(axis([1_000, 2_000]), 5_000)).toEqual([4_500, 5_500]);
  });

  it("has a smallest size", () => {
    expect(within([5, 5], 100)).toEqual([5, 9]);
  });
});
