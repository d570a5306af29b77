import { createElement } from "react";
import { assert, describe, test } from "vitest";
import { TransitionsTaken } from "../../../visualize/page/panes/state/transitions-taken.tsx";
import type { Microstep } from "../../../visualize/trace/trace-event.ts";
import { assertHarmless, HOSTILE, htmlOf, readOf } from "./markup.ts";

const shown = (microsteps: readonly Microstep[]): string =>
  htmlOf(createElement(TransitionsTaken, { microsteps }));

describe("the transitions that an event took", () => {
  test("are shown in order, each with its guard, targets and actions", () => {
    const html = shown([
      {
        event: "tool.settled",
        transitions: [{ source: "task", event: "tool.settled", guard: "isLast", targets: [] }],
        actions: ["takeResult", "keepEnd"],
      },
      { event: "", transitions: [{ source: "running.a", event: "", targets: ["idle.b"] }], actions: [] },
    ]);
    assert.equal(
      readOf(html.replaceAll("</p>", "\n")),
      "transitions taken by this event" +
        "task tool.settled [isLast] → stays\ntakeResult, keepEnd\nrunning.a always → idle.b\n",
    );
  });

  test("show none, without an empty list, if it took none", () => {
    assert.equal(readOf(shown([])), "transitions taken by this eventnone");
    assert.notInclude(shown([]), "<ol>");
  });

  test("are shown as text, whatever their names are", () => {
    for (const name of HOSTILE)
      assertHarmless(
        shown([
          {
            event: name,
            transitions: [{ source: name, event: name, guard: name, targets: [name] }],
            actions: [name],
          },
        ]),
      );
  });
});
