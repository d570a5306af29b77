import fc from "fast-check";
import { describe, expect } from "vitest";
import { changeOf } from "../../client/text-change.ts";
import { test } from "../support/prop.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 40 });

describe("the change between two texts", () => {
  test.prop([text, text])("is growth if the second text begins with the first", (before, more) => {
    expect(changeOf(before, before + more)).toEqual({ kind: "growth", delta: more });
  });

  test.prop([text, text.filter((put) => put !== ""), text])(
    "is an insertion at any position, and removing it restores the first text",
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

  test.prop([text, text])("is the whole text otherwise", (before, after) => {
    const { kind, delta } = changeOf(before, after);
    if (kind === "whole") expect(delta).toBe(after);
    else expect(after.length).toBe(before.length + delta.length);
    if (after.length < before.length) expect(kind).toBe("whole");
  });
});
