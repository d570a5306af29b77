import { expect, test } from "vitest";
import { subtaskLabel } from "../../../cli/run/subtasks.ts";

test("the label of a subtask shows characters that reorder text", () => {
  expect(subtaskLabel({ id: "root.2.1", rootId: "root", title: "docs\u202eend" })).toBe(
    "subtask 2.1 (docs\\u202eend)",
  );
  expect(subtaskLabel({ id: "root.2", rootId: "root", title: undefined })).toBe("subtask 2");
});
