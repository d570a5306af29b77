import { createElement } from "react";
import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import { CounterexampleBanner } from "../../../visualize/page/panes/laws/counterexample-banner.tsx";
import { StatePane } from "../../../visualize/page/panes/state/state-pane.tsx";
import type { Counterexample } from "../../../visualize/trace/counterexample.ts";
import { eventsOf } from "../../../visualize/trace/events-of.ts";
import { htmlOf, readOf } from "./markup.ts";
import { appended, commit, paneAt, traceOf } from "./trace.ts";

const say = (ts: number): ClineMessage => ({ ts, type: "say", say: "text", text: "a" });
const fine = traceOf([commit(1, { log: [appended(say(1))] })]);
const FOUND: Counterexample = {
  law: "L10",
  title: "one cancel settles the task",
  what: "a cancel changed nothing",
  event: 'task.cancel {"origin":"user"}',
};

const stateOf = (counterexample?: Counterexample, ended?: string): string =>
  htmlOf(createElement(StatePane, { ...paneAt(fine, 1), counterexample, ended }));
const bannerOf = (counterexample?: Counterexample): string =>
  htmlOf(createElement(CounterexampleBanner, { ...paneAt(fine, 1), counterexample }));

describe("the laws in the state pane", () => {
  it("are counted; those that the trace has nothing about are not", () => {
    const text = readOf(stateOf());
    expect(text).toMatch(/^4 of 4 laws hold✓ L1 holds/);
    expect(text).toContain("– L8 not checkable here");
    expect(text).toContain(
      "L3 Partial holds: at most one message is partial: the last one, while streaming (1 message)",
    );
  });

  it("are being checked while events are left to check", () => {
    const events = eventsOf(fine);
    const trace = new GrowingTrace("t", events).snapshot(0);
    const text = readOf(
      htmlOf(createElement(StatePane, { ...paneAt(fine, 1), trace, counterexample: undefined })),
    );
    expect(text).toMatch(/^The laws are being checked …… L1 still being checked/);
    expect(text).not.toMatch(/holds?\b/);
  });

  it("held until the process of the task ended", () => {
    const text = readOf(stateOf(undefined, "The process ended."));
    expect(text).toMatch(/^4 of 4 laws held✓ L1 held/);
    expect(text).not.toMatch(/L\d holds/);
  });

  it("have the sign of the broken one in place of the sign of L1", () => {
    expect(stateOf()).toContain('aria-label="they agree (L1)"');
    const broken = stateOf({ ...FOUND, seq: 1 });
    expect(broken).toContain('aria-label="L10 is broken"');
    expect(readOf(broken)).toMatch(/^4 of 5 laws hold/);
    expect(stateOf({ ...FOUND, seq: 0 })).toContain('aria-label="they agree (L1)"');
  });
});

describe("the banner of a counterexample", () => {
  it("is absent in any other trace", () => {
    expect(bannerOf()).toBe("");
  });

  it("has the statement of a law that no trace is checked against, and what was found", () => {
    const text = readOf(bannerOf({ ...FOUND, seq: 1 }));
    for (const part of ["L10 expects", FOUND.title, "event 1 has", FOUND.what]) expect(text).toContain(part);
    expect(text).not.toContain("Save as test");
  });

  it("names the event that left no record", () => {
    expect(readOf(bannerOf({ ...FOUND, test: "test" }))).toContain(
      'Save as testIt is broken after the last event, by task.cancel {"origin":"user"}, which left no record.',
    );
  });
});
