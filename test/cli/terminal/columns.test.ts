import { expect, test } from "vitest";
import { alignColumns } from "../../../cli/terminal/columns.ts";

test("a column is as wide as its widest cell, in cells of the terminal", () => {
  const lines = alignColumns(
    [
      ["Task", "code", "running"],
      ["  Subtask 1 (月の数)", "ask", "completed"],
      ["  Subtask 2", "", "ended"],
    ],
    [40, 20],
  );
  expect(lines).toEqual([
    `Task${" ".repeat(16)} code running`,
    "  Subtask 1 (月の数) ask  completed",
    `  Subtask 2${" ".repeat(9)}      ended`,
  ]);
});

test("a cell above the limit of its column ends with an ellipsis, and no wide character is cut in two", () => {
  expect(
    alignColumns(
      [
        ["月月月月", "a"],
        ["12345678", "b"],
        ["1", "c"],
      ],
      [6],
    ),
  ).toEqual(["月月…  a", "12345… b", "1      c"]);
});
