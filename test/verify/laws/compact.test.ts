import { describe, expect, it } from "vitest";
import { textBlock } from "../../../machines/conversation/blocks.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import { PersistentList } from "../../../machines/list/list.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import { compact } from "../../../verify/laws/compact.ts";
import { appended, say } from "./commit-parts.ts";
import { stepOf } from "./step.ts";

const user = (text: string): Entry => ({ role: "user", content: [textBlock(text)] });
const agent = (text: string): Entry => ({ role: "assistant", content: [textBlock(text)] });
const OLD = [user("one"), agent("two"), user("three"), agent("four"), user("five")];
const SUMMARY = user("summary");
const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 };
const FINISHED: TaskEvent = { type: "condense.finished", at: 2, requestId: 1, summary: "s", usage: USAGE };

const replaced = (count: number, by: readonly Entry[]): TaskEmitted => ({
  type: "entries.replaced",
  count,
  by,
});
const SHORTER = { summary: "s", cost: 0, prevContextTokens: 9, newContextTokens: 3 };
const announced: readonly TaskEmitted[] = [
  { type: "message.amended", ts: 1, patch: { contextCondense: SHORTER } },
];
const truncation: readonly TaskEmitted[] = [appended(say(9, "sliding_window_truncation"))];

interface Parts {
  readonly now?: readonly Entry[];
  readonly emitted?: readonly TaskEmitted[];
  readonly from?: string;
  readonly to?: string;
  readonly event?: TaskEvent;
}
/** The violation of a macrostep after which the conversation is `now`. */
const found = ({ now = OLD, emitted = [], event = FINISHED, ...states }: Parts) =>
  compact.violation(
    stepOf({
      from: "streaming.condensing",
      to: "streaming.receiving",
      ...states,
      event,
      before: { conversation: PersistentList.from(OLD) },
      after: { conversation: PersistentList.from(now) },
      earlier: [appended(say(1, "condense_context", { partial: true }))],
      emitted,
    }),
  );
const condensed = [SUMMARY, ...OLD.slice(3)];

/** The violation of the macrostep in which the endpoint counted 7 tokens. */
const counted = (
  emitted: readonly TaskEmitted[],
  { request = 1, contextTokens = 7, from = "streaming.condensing", to = "streaming.receiving" } = {},
) =>
  compact.violation(
    stepOf({
      from,
      to,
      event: { type: "condense.unneeded", at: 2, requestId: 1, tokens: 7 },
      before: { request },
      after: { request, contextTokens },
      emitted,
    }),
  );

describe("a condensation that a count makes unneeded (COMPACT)", () => {
  const llm: TaskEmitted = { type: "effect.started", effect: "llm", id: "llm" };

  it("changes the number of tokens, and the request is sent", () => {
    const condense: TaskEmitted = { type: "effect.stopped", effect: "condense", id: "condense" };
    const facts: TaskEmitted = { type: "facts.changed", facts: { contextTokens: 7 } };
    expect(counted([condense, facts, llm])).toBeUndefined();
  });

  it("is violated where anything else changes", () => {
    const message = appended(say(9, "condense_context"));
    expect(counted([llm, message])).toBe("an unneeded condensation emitted message.appended");
    expect(counted([llm], { contextTokens: 8 })).toBe("the endpoint counted 7 tokens, and the task has 8");
    expect(counted([], { to: "running.retrying" })).toBe(
      "an unneeded condensation ended in running.retrying",
    );
  });

  it("is none where the count is of another request, or comes late", () => {
    expect(counted([], { request: 2, contextTokens: 8 })).toBeUndefined();
    expect(counted([], { from: "streaming.receiving", contextTokens: 8 })).toBeUndefined();
  });
});

describe("a condensed conversation (COMPACT)", () => {
  it("is a user entry and the newest turns, with its message", () => {
    expect(found({ now: condensed, emitted: [replaced(3, [SUMMARY]), ...announced] })).toBeUndefined();
    const whole = appended({ ...say(9, "condense_context"), contextCondense: SHORTER });
    expect(found({ now: condensed, emitted: [replaced(3, [SUMMARY]), whole] })).toBeUndefined();
    expect(found({ now: condensed, emitted: [replaced(3, [SUMMARY]), ...truncation] })).toBeUndefined();
  });

  it.each<[string, readonly Entry[], TaskEmitted]>([
    ["begins with two entries", [SUMMARY, agent("x"), ...OLD.slice(3)], replaced(3, [SUMMARY, agent("x")])],
    ["begins with a response", [agent("x"), ...OLD.slice(3)], replaced(3, [agent("x")])],
    ["is cut before a user entry", [SUMMARY, ...OLD.slice(2)], replaced(2, [SUMMARY])],
  ])("is violated where it %s", (_, now, event) => {
    expect(found({ now, emitted: [event, ...announced] })).toMatch(
      /^expected one user entry before a response/,
    );
  });

  it("is violated where a kept entry is another", () => {
    const other = [SUMMARY, agent("other"), OLD[4] ?? SUMMARY];
    expect(found({ now: other, emitted: [replaced(3, [SUMMARY]), ...announced] })).toBe(
      "kept entries were changed",
    );
    const longer = [...condensed, agent("more")];
    expect(found({ now: longer, emitted: [replaced(3, [SUMMARY]), ...announced] })).toBe(
      "kept entries were changed",
    );
  });

  it("is violated where the conversation is replaced twice", () => {
    const twice = [replaced(3, [SUMMARY]), replaced(1, [SUMMARY]), ...announced];
    expect(found({ now: condensed, emitted: twice })).toBe("the conversation was replaced twice");
  });

  it("is violated where entries are lost without it", () => {
    expect(found({ now: OLD.slice(1) })).toBe("entries were lost");
    expect(found({ now: [...OLD, agent("six")] })).toBeUndefined();
  });

  it("changes in one commit with its message", () => {
    const apart = "the conversation and its message did not change together";
    expect(found({ now: condensed, emitted: [replaced(3, [SUMMARY])] })).toBe(apart);
    expect(found({ emitted: announced })).toBe(apart);
    expect(found({ emitted: truncation })).toBe(apart);
    expect(found({})).toBeUndefined();
  });

  it("comes from its own state, and goes to the request", () => {
    const emitted = [replaced(3, [SUMMARY]), ...announced];
    expect(found({ now: condensed, emitted, from: "streaming.receiving" })).toMatch(
      /from streaming.receiving/,
    );
    expect(found({ now: condensed, emitted, to: "resumable" })).toMatch(/to resumable$/);
  });

  it("has a summary only after its end", () => {
    const event: TaskEvent = { type: "task.cancel", origin: "user", at: 2 };
    expect(found({ now: condensed, emitted: [replaced(3, [SUMMARY]), ...announced], event })).toBe(
      "task.cancel condensed the conversation",
    );
    expect(
      found({ now: condensed, emitted: [replaced(3, [SUMMARY]), ...truncation], event }),
    ).toBeUndefined();
  });

  it("begins where a request is prepared", () => {
    const begins = (from: string) => found({ from, to: "streaming.condensing" });
    expect(begins("streaming.preparing")).toBeUndefined();
    expect(begins("streaming.condensing")).toBeUndefined();
    expect(begins("streaming.receiving")).toBe("a condensation began in streaming.receiving");
  });
});
