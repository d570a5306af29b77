import fc from "fast-check";
import { describe, expect } from "vitest";
import { changeOf } from "../../../client/ndjson/text-change.ts";
import { test } from "../../support/prop.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 40 });

describe("how a text became another one", () => {
  test.prop([text, text])("is growth where all of it is the beginning of the other", (before, more) => {
    expect(changeOf(before, before + more)).toEqual({ kind: "growth", delta: more });
  });

  test.prop([text, text.filter((put) => put !== ""), text])(
    "is found wherever something was put in, and undone by taking that out",
    (start, put, end) => {
      const [before, after] = [start + end, start + put + end];
      const { kind, delta } = changeOf(before, after);
      expect(["growth", "insertion"]).toContain(kind);
      expect(delta).toHaveLength(put.length);
      const places = Array.from({ length: before.length + 1 }, (_, place) => place);
      expect(places.some((place) => before.slice(0, place) + delta + before.slice(place) === after)).toBe(
        true,
      );
    },
  );

  test.prop([text, text])("is the whole text where neither is so", (before, after) => {
    const { kind, delta } = changeOf(before, after);
    if (kind === "whole") expect(delta).toBe(after);
    else expect(after.length).toBe(before.length + delta.length);
    if (after.length < before.length) expect(kind).toBe("whole");
  });
});
