import { describe, expect, it } from "vitest";
import type { Block, Turn } from "../../../machines/task/task.context.ts";
import type { TaskEmitted } from "../../../machines/task/task.events.ts";
import { opaque } from "../../../verify/laws/opaque.ts";
import { appended, say } from "./commit-parts.ts";
import { fresh, stepOf } from "./step.ts";

const block = (text: string): Block => ({ kind: "opaque", text });
const prose: Block = { kind: "text", buffered: "", done: true, ts: 1 };
const shown = (...texts: readonly string[]): TaskEmitted[] =>
  texts.map((text) => appended(say(1, "opaque", { text })));
const turn = (cursor: number, ...blocks: readonly Block[]): Turn => ({ ...fresh.turn, blocks, cursor });
/** The violation when the turn became `after`. */
const found = (before: Turn, after: Turn, emitted: readonly TaskEmitted[] = []) =>
  opaque.violation(stepOf({ before: { turn: before }, after: { turn: after }, emitted }));
const mismatch = (expected: string, got: string): string =>
  `expected messages of the blocks ${expected}, got ${got}`;

describe("a block that is not interpreted (OPAQUE)", () => {
  it("is shown by its text when the turn's cursor passes it", () => {
    const after = turn(1, block("a"));
    expect(found(turn(0), after, shown("a"))).toBeUndefined();
    expect(found(turn(0), after)).toBe(mismatch("a", "none"));
    expect(found(turn(0), after, shown("b"))).toBe(mismatch("a", "b"));
    expect(found(turn(0), after, [appended(say(1, "text", { text: "a" }))])).toBe(mismatch("a", "none"));
  });

  it("is shown once", () => {
    const after = turn(1, block("a"));
    expect(found(turn(0), after, shown("a", "a"))).toBe(mismatch("a", "a, a"));
    expect(found(after, after, shown("a"))).toBe(mismatch("none", "a"));
    expect(found(after, turn(2, block("a"), prose))).toBeUndefined();
  });

  it("is not shown before its position is reached", () => {
    const before = turn(0, prose);
    const held = turn(0, prose, block("a"));
    expect(found(before, held)).toBeUndefined();
    expect(found(before, held, shown("a"))).toBe(mismatch("none", "a"));
    expect(found(held, turn(2, prose, block("a")), shown("a"))).toBeUndefined();
    expect(found(held, turn(1, prose, block("a")))).toBeUndefined();
  });

  it("is shown in the order of the response, among others", () => {
    const after = turn(3, block("a"), prose, block("b"));
    const text = appended(say(1, "text", { text: "other" }));
    expect(found(turn(0), after, [...shown("a"), text, ...shown("b")])).toBeUndefined();
    expect(found(turn(0), after, shown("b", "a"))).toBe(mismatch("a, b", "b, a"));
    expect(found(turn(0), after, shown("a"))).toBe(mismatch("a, b", "a"));
  });

  it("is not shown where its turn has ended", () => {
    const before = turn(1, prose, block("a"));
    expect(found(before, turn(0))).toBeUndefined();
    expect(found(before, turn(0), shown("a"))).toBe("a block of a turn that has ended was shown");
  });
});
