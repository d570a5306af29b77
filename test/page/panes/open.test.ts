import { createElement } from "react";
import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { subtaskTree } from "../../../visualize/page/model/subtask-tree.ts";
import { MessagesPane } from "../../../visualize/page/panes/messages/messages-pane.tsx";
import { SequencePane } from "../../../visualize/page/panes/sequence/sequence-pane.tsx";
import { StatePane } from "../../../visualize/page/panes/state/state-pane.tsx";
import { Timeline } from "../../../visualize/page/shell/timeline.tsx";
import { TIMELINE_OPTIONS } from "../../../visualize/page/timeline/options.ts";
import type { TraceReader } from "../../../visualize/trace/moment.ts";
import { htmlOf, readOf } from "./markup.ts";
import { appended, commit, paneAt, snapshotOf, traceOf } from "./trace.ts";

/** 17 min 23 s after the last event. */
const NOW = 1_002 + 1_043_000;
const ENDED = "The process ended while a tool ran, 17 min ago.";

const started = (effect: "ask" | "tool" | "llm", id: string) =>
  ({ type: "effect.started", effect, id }) as const;

const traceOfOpen = (effect: ReturnType<typeof started>, ...messages: ClineMessage[]): TraceReader =>
  traceOf([commit(1), commit(2, { log: messages.map(appended), effects: [effect] })]);

const ask: ClineMessage = { ts: 1_002, type: "ask", ask: "tool", text: "{}", callId: "c1" };
const ASKING = traceOfOpen(started("ask", "ask:1002"), ask);
const CALLING = traceOfOpen(
  started("tool", "tool:c1"),
  { ...ask, closing: "answered" },
  { ts: 1_003, type: "say", say: "text", text: "It runs." },
);
const REQUESTING = traceOfOpen(started("llm", "llm"), { ts: 1_002, type: "say", say: "api_req_started" });

const PANES = { StatePane, MessagesPane, SequencePane };
const read = (pane: keyof typeof PANES, trace: TraceReader, more: { until?: number; ended?: string } = {}) =>
  readOf(htmlOf(createElement(PANES[pane], { ...paneAt(trace, 2), ...more })));

describe("an ask, a request and a call that are open last until now while the process of the task is alive", () => {
  it.each([
    ["StatePane", ASKING, "ask 1002 17 min 23 s"],
    ["StatePane", CALLING, "tool c1 17 min 23 s"],
    ["StatePane", REQUESTING, "llm 17 min 23 s"],
    ["MessagesPane", ASKING, "for 17 min 23 s"],
    ["MessagesPane", CALLING, "running for 17 min 23 s"],
    ["MessagesPane", REQUESTING, "for 17 min 23 s"],
    ["SequencePane", CALLING, "17 min 23 s"],
  ] as const)("in the %s (%#)", (pane, trace, text) => {
    expect(read(pane, trace, { until: NOW })).toContain(text);
    expect(read(pane, trace)).not.toContain("17 min");
  });

  it("a call lasts no longer than to the event that the user chose", () => {
    const trace = traceOf([
      commit(1, { effects: [started("tool", "tool:c1")] }),
      commit(60_001),
      commit(90_001),
    ]);
    const html = htmlOf(createElement(StatePane, paneAt(trace, 2)));
    expect(readOf(html)).toContain("tool c1 1 min 00 s");
  });
});

describe("the timeline", () => {
  const timeline = (at: number, until: number): string => {
    const trace = traceOf([commit(1), commit(7_001)]);
    const ignore = (): void => {};
    return readOf(
      htmlOf(
        createElement(Timeline, {
          ...{ ...paneAt(trace, at), until, now: until, matches: [], query: "", speed: 1 },
          ...{ options: TIMELINE_OPTIONS, onOptions: ignore, tree: subtaskTree(snapshotOf(trace)) },
          ...{ tasks: [] },
          ...{ isFollowing: true, isLive: true, isLost: false, isPlaying: false },
          ...{ onStep: ignore, onPlay: ignore, onSpeed: ignore, onQuery: ignore },
        }),
      ),
    );
  };

  it("has the time until the next event, and from the newest one until now", () => {
    expect(timeline(1, 1_001)).toContain("next after 7.00 s");
    expect(timeline(2, 8_001 + 61_000)).toContain("since then 1 min 01 s");
    expect(timeline(2, 8_001)).not.toContain("since then");
  });
});

describe("a task whose process has ended", () => {
  it("is not claimed to run, and has the states of its last event", () => {
    const text = read("StatePane", CALLING, { ended: ENDED });
    expect(text).toContain(ENDED);
    for (const claim of ["The agent is running.", "L1 holds", "running actors"])
      expect(text).not.toContain(claim);
    expect(text).toContain("at the last event");
    expect(read("StatePane", CALLING)).toContain("The agent is running.");
  });

  it("has no open ask and no open request among its messages", () => {
    expect(read("MessagesPane", ASKING, { ended: ENDED })).toContain("not answered: the process ended");
    expect(read("MessagesPane", REQUESTING, { ended: ENDED })).toContain("open when the process ended");
    expect(read("MessagesPane", CALLING, { ended: ENDED })).toContain(ENDED);
  });
});
