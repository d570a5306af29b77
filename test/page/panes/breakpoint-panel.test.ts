import { createElement } from "react";
import { expect, test } from "vitest";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { chartOf } from "../../../visualize/index.ts";
import { BreakpointPanel } from "../../../visualize/page/actions/breakpoint-panel.tsx";
import { htmlOf, readOf, tagsOf } from "./markup.ts";
import { NO_REQUESTS } from "./no-requests.ts";

const shown = (broken?: { law: string; reason: string }, isLost = false): string =>
  htmlOf(
    createElement(BreakpointPanel, {
      ...{
        taskId: "t1",
        chart: chartOf(taskMachine),
        actions: NO_REQUESTS,
        isOpen: true,
        isLost,
        held: ["tool.finished"],
      },
      ...{ broken, onError: () => {}, onClose: () => {} },
    }),
  );

test("the panel shows the broken law and the reason, as text", () => {
  const html = shown({ law: "L8", reason: "expected <b>one</b> ask; came two" });
  expect(readOf(html)).toContain("L8 is broken: expected <b>one</b> ask; came two");
  expect(tagsOf(html).filter(({ attributes }) => attributes.get("role") === "alert")).toHaveLength(1);
});

test("the panel mentions no law if none is broken", () => {
  expect(readOf(shown())).not.toContain("is broken: ");
  expect(readOf(shown())).toContain("Held: tool.finished");
});

test("the panel offers the states in which a task can stay", () => {
  const text = readOf(shown());
  for (const passed of ["running.requesting", "running.settling", "streaming.answered"])
    expect(text).not.toContain(passed);
  for (const kept of ["running.calling", "streaming.finishing", "idle.completing", "resumable"])
    expect(text).toContain(kept);
});

test("without a connection no breakpoint can be set, and no event released", () => {
  const fieldset = (html: string) => tagsOf(html).find(({ name }) => name === "fieldset");
  expect(fieldset(shown(undefined, true))?.attributes.has("disabled")).toBe(true);
  expect(fieldset(shown())?.attributes.has("disabled")).toBe(false);
});
