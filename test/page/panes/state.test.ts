import { createElement } from "react";
import { describe, expect, it } from "vitest";
import { StatePane } from "../../../visualize/page/panes/state/state-pane.tsx";
import { TraceLog } from "../../../visualize/trace/index.ts";
import type { CommitRecord } from "../../../wire/journal/record.ts";
import { htmlOf, readOf } from "./markup.ts";
import { commit, paneAt, traceOf } from "./trace.ts";

const shown = (facts: NonNullable<CommitRecord["facts"]>): string => {
  const trace = traceOf([commit(1, { facts })]);
  return htmlOf(createElement(StatePane, paneAt(trace, 1)));
};

describe("the state of a task", () => {
  it("has the tokens of its conversation, once there are some", () => {
    expect(readOf(shown({}))).toContain("no tokens yet");
    const html = readOf(shown({ contextTokens: 123_456 }));
    expect(html).toContain("123,456 tokens");
    expect(html).not.toContain("condensed next");
  });

  it("has the share of the window that they use, where its journal records the window", () => {
    const model = { provider: "anthropic", id: "claude-opus-4-8", contextWindow: 200_000 };
    expect(readOf(shown({ contextTokens: 123_456, model }))).toContain("123,456 of 200,000 tokens (62 %)");
  });

  it.each([
    ["user", "The user asked for it."],
    ["window", "The context window is full."],
  ] as const)("shows a condensation that the next request begins with, of the %s", (by, reason) => {
    const compaction = { state: "requested", by, instructions: "" } as const;
    const html = shown({ contextTokens: 5, compaction });
    expect(readOf(html)).toContain("5 tokens condensed next");
    expect(html).toContain(`title="${reason}"`);
    expect(readOf(shown({ contextTokens: 5, compaction: { state: "applied" } }))).not.toContain(
      "condensed next",
    );
  });

  it("shows the next step of the turn where the trace has it", () => {
    const next = "Waits for call 2 (execute_command), which runs.";
    const shownWith = (more: { readonly next?: string }): string => {
      const trace = new TraceLog("t1", [{ ...traceOf([]).event(0), ...more }]);
      return readOf(htmlOf(createElement(StatePane, paneAt(trace, 0))));
    };
    expect(shownWith({ next })).toContain(next);
    expect(shownWith({})).not.toContain("Waits for");
  });

  it("has its intent only in a workspace with intents", () => {
    expect(readOf(shown({}))).not.toContain("intent");
    expect(readOf(shown({ intent: { stage: "required" } }))).toMatch(/intent(?=none is selected yet)/);
    expect(readOf(shown({ intent: { stage: "selected", id: "INT-1" } }))).toContain("intentINT-1");
  });

  it("has a budget only where the task has one", () => {
    expect(readOf(shown({}))).not.toContain("budget");
    expect(readOf(shown({ budget: null }))).not.toContain("budget");
  });

  it("shows what is left of each limited amount of its budget, and from whom it has it", () => {
    const granted = { requests: 10, tasks: 2, depth: 1, cost: 1 };
    const left = { requests: 4, tasks: 0, depth: 1, cost: -0.25 };
    const own = readOf(shown({ budget: { state: "own", granted, left } }));
    for (const text of ["budget left", "requests4 / 10", "subtasks0 / 2", "levels of subtasks: 1"])
      expect(own).toContain(text);
    expect(own).toMatch(/dollars\$-0\.25\d* \/ \$1/);
    expect(
      readOf(shown({ budget: { state: "lent", granted: { requests: 3 }, left: { requests: 1 } } })),
    ).toContain("budget left (lent)requests1 / 3");
    const returned = readOf(shown({ budget: { state: "returned", granted: { requests: 3 } } }));
    expect(returned).toContain("budget left (returned)requests0 / 3");
    expect(returned).not.toContain("dollars");
  });
});
