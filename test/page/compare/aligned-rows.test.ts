import { expect, it } from "vitest";
import { alignedRows, foldedRows, type Row } from "../../../visualize/page/compare/aligned-rows.ts";
import type { Step } from "../../../visualize/page/compare/steps.ts";

/** A step by its key and text: `call a` is a call of `a`. */
function step(key: string, text: string, seq: number): Step {
  const [kind = ""] = key.split(" ");
  return { kind: kind === "call" ? "call" : "model", key, title: key, text, seq };
}

const stepsOf = (...keys: readonly string[]): readonly Step[] =>
  keys.map((key, seq) => {
    const [name = "", text = ""] = key.split("=");
    return step(name, text, seq);
  });

const told = (rows: readonly Row[]): readonly string[] =>
  rows.map(({ mark, mine, other }) => `${mark} ${mine?.key ?? "-"} ${other?.key ?? "-"}`);

it("steps that both tasks have are in one row, although one task has more before them", () => {
  const rows = alignedRows(
    stepsOf("says", "call a", "end"),
    stepsOf("says", "call b", "call c", "call a", "end"),
  );
  expect(told(rows)).toEqual([
    "same says says",
    "only - call b",
    "only - call c",
    "same call a call a",
    "same end end",
  ]);
});

it("a step with the same key and another content is changed", () => {
  const rows = alignedRows(stepsOf("says=one", "end"), stepsOf("says=two", "end"));
  expect(told(rows)).toEqual(["changed says says", "same end end"]);
});

it("a step that another of its kind replaces is in one row with it, and one of another kind is not", () => {
  expect(told(alignedRows(stepsOf("call a", "end"), stepsOf("call b", "end")))).toEqual([
    "changed call a call b",
    "same end end",
  ]);
  expect(told(alignedRows(stepsOf("call a", "end"), stepsOf("says", "end")))).toEqual([
    "only call a -",
    "only - says",
    "same end end",
  ]);
});

it("tasks without a common step are listed one after the other, and an empty one has nothing in its rows", () => {
  const many = (name: string) => stepsOf(...Array.from({ length: 3_000 }, (_, number) => `${name}${number}`));
  const rows = alignedRows(many("x"), many("y"));
  expect(rows.flatMap(({ mine }) => mine?.seq ?? [])).toEqual(many("x").map(({ seq }) => seq));
  expect(rows.flatMap(({ other }) => other?.seq ?? [])).toEqual(many("y").map(({ seq }) => seq));
  expect(told(alignedRows([], stepsOf("says")))).toEqual(["only - says"]);
});

it("at least four same rows that follow each other are folded, until they are opened", () => {
  const same = ["a", "b", "c", "d"];
  const rows = alignedRows(
    stepsOf(...same, "says=one", "e", "f", "g"),
    stepsOf(...same, "says=two", "e", "f", "g"),
  );
  const shape = (opened: ReadonlySet<number>) =>
    foldedRows(rows, opened).map((shown) => ("folded" in shown ? shown.folded : shown.row.mark));
  expect(shape(new Set())).toEqual([4, "changed", "same", "same", "same"]);
  expect(shape(new Set([0]))).toEqual([...same.map(() => "same"), "changed", "same", "same", "same"]);
});

it("tasks with 200,000 different steps have a row for each pair", () => {
  const steps = (text: string): readonly Step[] =>
    Array.from({ length: 200_000 }, (_, seq) => step(`call ${text}${seq}`, text, seq));
  expect(alignedRows(steps("a"), steps("b"))).toHaveLength(200_000);
});
