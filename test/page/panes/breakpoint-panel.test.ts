import { createElement } from "react";
import { expect, test } from "vitest";
import { taskMachine } from "../../../machines/task/index.ts";
import { chartOf } from "../../../visualize/index.ts";
import { BreakpointPanel } from "../../../visualize/page/actions/breakpoint-panel.tsx";
import type { TaskActions } from "../../../visualize/page/source.ts";
import { htmlOf, readOf, tagsOf } from "./markup.ts";

const unasked = () => Promise.reject(new Error("nothing is asked for while it is view"));
const actions: TaskActions = {
  create: unasked,
  open: unasked,
  answer: unasked,
  proceed: unasked,
  abort: unasked,
  continue: unasked,
  queue: unasked,
  cancel: unasked,
  fork: unasked,
  breakpoints: unasked,
  setBreakpoints: unasked,
  step: unasked,
  resume: unasked,
};
const shown = (broken?: { law: string; reason: string }): string =>
  htmlOf(
    createElement(BreakpointPanel, {
      ...{ taskId: "t1", chart: chartOf(taskMachine), actions, isOpen: true, held: ["tool.finished"] },
      ...{ broken, onError: () => {}, onClose: () => {} },
    }),
  );

test("the panel says which law a task is held for, and why, in the words that it was told", () => {
  const html = shown({ law: "L8", reason: "expected <b>one</b> ask; came two" });
  expect(readOf(html)).toContain("L8 is broken: expected <b>one</b> ask; came two");
  expect(tagsOf(html).filter(({ attributes }) => attributes.get("role") === "alert")).toHaveLength(1);
});

test("the panel has no word of laws where none is broken", () => {
  expect(readOf(shown())).not.toContain("is broken: ");
  expect(readOf(shown())).toContain("Held: tool.finished");
});
