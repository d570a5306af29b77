import { describe, expect, test } from "vitest";
import { UnsentOutput } from "../../../actors/calls/unsent-output.ts";

/** Offers the output of the call in a new environment block. */
function offer(output: UnsentOutput, newest: string | undefined, environment: string): string {
  const text = output.of("1", newest);
  output.offered("1", environment);
  return text;
}

describe("the output of a call that no request has", () => {
  test("is what came after the newest environment block of the conversation", () => {
    const output = new UnsentOutput();
    expect(offer(output, undefined, "A")).toBe("");
    output.add("1", "one ");
    expect(offer(output, undefined, "B")).toBe("one ");
    output.add("1", "two ");
    expect(offer(output, "B", "C")).toBe("two ");
    expect(offer(output, "C", "D")).toBe("");
  });

  test("is offered again if the conversation does not have the block", () => {
    const output = new UnsentOutput();
    output.add("1", "one ");
    offer(output, "A", "B");
    output.add("1", "two ");
    expect(offer(output, "A", "C")).toBe("one two ");
    expect(offer(output, "A", "D")).toBe("one two ");
    expect(offer(output, "D", "E")).toBe("");
  });

  test("has at most backgroundOutputBytes, of its end, with a mark if it is cut (L14)", () => {
    const cut = "[... earlier output is cut ...]\n";
    const output = new UnsentOutput({ backgroundOutputBytes: 5 });
    output.add("1", "12345");
    expect(offer(output, "A", "B")).toBe("12345");
    output.add("1", "6é789");
    expect(offer(output, "B", "C")).toBe(`${cut}é789`);
    for (let count = 0; count < 100; count += 1) output.add("1", "+-*");
    expect(offer(output, "B", "D")).toBe(`${cut}-*+-*`);
    output.add("1", "x\u{1f600}y");
    expect(offer(output, "D", "E")).toBe(`${cut}\u{1f600}y`);
  });

  test("belongs to this call only", () => {
    const output = new UnsentOutput();
    output.add("2", "other");
    expect(output.of("1", "A")).toBe("");
    expect(output.of("2", "A")).toBe("other");
  });
});

describe("the unsent output of an ended call is", () => {
  test("nothing in particular if no request has any of it", () => {
    const output = new UnsentOutput();
    expect(output.end("1")).toEqual([]);
    output.add("1", "one ");
    expect(output.end("1")).toEqual([]);
    offer(output, "A", "B");
    output.add("1", "one ");
    expect(output.end("1")).toEqual([]);
  });

  test("the part after the block that was offered last, and after the one before", () => {
    const output = new UnsentOutput();
    output.add("1", "one ");
    offer(output, "A", "B");
    output.add("1", "two ");
    offer(output, "B", "C");
    output.add("1", "three");
    expect(output.end("1")).toEqual([
      { after: "C", output: "three" },
      { after: "B", output: "two three" },
    ]);
    expect(output.end("1")).toEqual([]);
  });

  test("the part after the block that was offered last, where that was the first one with output", () => {
    const output = new UnsentOutput();
    output.add("1", "one ");
    offer(output, "A", "B");
    output.add("1", "two");
    expect(output.end("1")).toEqual([{ after: "B", output: "two" }]);
  });
});
