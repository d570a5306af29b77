import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { AGENT_LOOP_STATES, hasNoWork, isAtRest, topState } from "../../../machines/message/states.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { filesIn, SOURCE_FOLDERS } from "../../support/sources.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = filesIn(SOURCE_FOLDERS);

/**
 * Vocabularies of Roo Code and of ACP with some of the same words: categories of asks, states of its webview, task statuses, and
 * the work of a session.
 */
const OTHER_VOCABULARIES = [
  "machines/message/asks.ts",
  "machines/message/webview.ts",
  "client/lifecycle/status.ts",
  "cli/acp/subagents.ts",
];

/** Lists and conditions that name the states again: three of the six in a row, or the two at rest. */
const COPIES = [
  /"(?:no_task|running|streaming|waiting_for_input|idle|resumable)"(?:\s*[,|]\s*"(?:no_task|running|streaming|waiting_for_input|idle|resumable)"){2}/,
  /"(?:idle|resumable)"\s*[,|]\s*"(?:idle|resumable)"/,
  /[!=]== "(?:idle|resumable)"\s*(?:\|\||&&)[^;\n]*[!=]== "(?:idle|resumable)"/,
  /\((?:\w+\|)*(?:idle\|resumable|resumable\|idle)/,
];

describe("the states of an agent", () => {
  test("are the top-level states of the task machine", () => {
    expect([...AGENT_LOOP_STATES].sort()).toEqual(Object.keys(taskMachine.states).sort());
  });

  test.each([
    ["idle", "idle", true, true],
    ["idle.delivering", "idle", true, true],
    ["resumable", "resumable", true, true],
    ["no_task", "no_task", false, true],
    ["running.delegated", "running", false, false],
    ["waiting_for_input.approval", "waiting_for_input", false, false],
    ["idleness", "no_task", false, true],
  ])("give %s the state %s, whether it is at rest, and whether it has no work", (...row) => {
    const [of, state, atRest, noWork] = row;
    expect([topState(of), isAtRest(of), hasNoWork(of)]).toEqual([state, atRest, noWork]);
  });

  test("have one definition: no other source file lists them (LIFE-GAP-013)", () => {
    const copies = sources.filter((file) => {
      if (file === "machines/message/states.ts" || OTHER_VOCABULARIES.includes(file)) return false;
      const text = readFileSync(path.join(root, file), "utf8");
      return COPIES.some((copy) => copy.test(text));
    });
    expect(copies).toEqual([]);
  });
});
