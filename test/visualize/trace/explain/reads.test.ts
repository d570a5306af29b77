import { expect, it } from "vitest";
import { ReadRecorder, UnknownValueError } from "../../../../visualize/trace/explain/reads.ts";

const FROZEN = Object.freeze({
  counters: Object.freeze({ requests: 3, cost: null }),
  calls: Object.freeze([Object.freeze({ id: "a" }), Object.freeze({ id: "b" })]),
  at: undefined as number | undefined,
  known: new Map([["x", 1]]),
});

it("notes the values that are read, with their paths, in the order of their first reading", () => {
  const recorder = new ReadRecorder();
  const watched = recorder.watch(FROZEN, "");
  expect(watched.calls.find(({ id }) => id === "b")?.id).toBe("b");
  expect(watched.counters.requests).toBe(3);
  expect(watched.at).toBeUndefined();
  expect(recorder.reads).toEqual([
    { path: "calls[0].id", value: '"a"' },
    { path: "calls[1].id", value: '"b"' },
    { path: "counters.requests", value: "3" },
    { path: "at", value: "absent" },
  ]);
});

it("passes on what is no plain object or list, and notes its class", () => {
  const recorder = new ReadRecorder();
  expect(recorder.watch(FROZEN, "context").known.get("x")).toBe(1);
  expect(recorder.reads).toEqual([{ path: "context.known", value: "(Map)" }]);
});

it("changes nothing of what it watches", () => {
  const given = { list: [1, 2] };
  new ReadRecorder().watch(given, "").list.push(3);
  expect(given.list).toEqual([1, 2]);
});

it("ends at a value that is not known, and names it", () => {
  const recorder = new ReadRecorder((path) => path !== "counters.cost");
  const watched = recorder.watch(FROZEN, "");
  expect(watched.counters.requests).toBe(3);
  expect(() => watched.counters.cost).toThrow(UnknownValueError);
  expect(() => watched.counters.cost).toThrow("counters.cost");
});
