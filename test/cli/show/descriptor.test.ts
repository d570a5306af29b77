import { expect, test } from "vitest";
import { formatToolBody, formatToolTitle } from "../../../cli/show/descriptor.ts";

test("a call that reads a skill is shown with the name of the skill only", () => {
  const descriptor = { tool: "skill", skill: "release", content: "x" };
  expect(formatToolTitle(descriptor)).toBe("Read the skill release");
  expect(formatToolBody(descriptor)).toEqual([]);
});

test("a call that reads an artifact is shown with its id only", () => {
  const descriptor = { tool: "readArtifact", artifact: "toolu_1", content: "x" };
  expect(formatToolTitle(descriptor)).toBe("Read again the result of toolu_1");
  expect(formatToolBody(descriptor)).toEqual([]);
});

test("a switch of the mode is shown with the mode and the reason", () => {
  const descriptor = { tool: "switchMode", mode: "code", reason: "The plan is agreed." };
  expect(formatToolTitle(descriptor)).toBe("Switch to mode code (The plan is agreed.)");
  expect(formatToolBody(descriptor)).toEqual([]);
});

test("a call that starts a subtask is shown with its mode", () => {
  expect(formatToolTitle({ tool: "newTask", mode: "code", content: "x" })).toBe(
    "Start a subtask in mode code",
  );
});

test("a call about a background command is shown with its id", () => {
  expect(formatToolTitle({ tool: "commandOutput", id: "1", pattern: "ready" })).toBe(
    "Read the output of command 1",
  );
  expect(formatToolTitle({ tool: "stopCommand", id: "1" })).toBe("Terminate command 1");
});
