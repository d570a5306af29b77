import { describe, expect, it } from "vitest";
import { textBlock } from "../../../machines/conversation/blocks.ts";
import { type Conversation, emptyConversation } from "../../../machines/conversation/conversation.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import { applyLogEvent, type Log, type LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { QueuedMessage, TaskEmitted } from "../../../machines/task/task.events.ts";
import type { Step } from "../../../verify/index.ts";
import { replica } from "../../../verify/laws/replica.ts";
import { appended, ask, logOf, say, started } from "./commit-parts.ts";
import { stepOf } from "./step.ts";

const user = (...texts: readonly string[]): Entry => ({ role: "user", content: texts.map(textBlock) });
const talk = (...entries: readonly Entry[]): Conversation =>
  entries.reduce((sofar, entry) => sofar.append(entry), emptyConversation);
const entry = (text: string): TaskEmitted => ({ type: "entry.appended", entry: user(text) });
const more = (text: string): TaskEmitted => ({ type: "entry.extended", content: [textBlock(text)] });

describe("the conversation (L2)", () => {
  /** The violation when one conversation became another, with these emitted events. */
  const became = (before: Conversation, after: Conversation, ...emitted: readonly TaskEmitted[]) =>
    replica.violation(stepOf({ before: { conversation: before }, after: { conversation: after }, emitted }));
  const WRONG = "the conversation differs from the folded events";
  const one = talk(user("a"));

  it.each<[string, Conversation, readonly TaskEmitted[]]>([
    ["an entry", talk(user("a"), user("b")), [entry("b")]],
    ["an extension of the last entry", talk(user("a", "b")), [more("b")]],
    ["an entry and its extension", talk(user("a"), user("b", "c")), [entry("b"), more("c")]],
    ["two entries", talk(user("a"), user("b"), user("c")), [entry("b"), entry("c")]],
  ])("is the one before plus the emitted events: %s", (_, after, events) => {
    expect(became(one, after, ...events)).toBeUndefined();
    expect(became(one, after, started("llm"), ...events, { type: "turn.ended" })).toBeUndefined();
    expect(became(one, after)).toBe(WRONG);
    expect(became(one, after, ...events, entry("z"))).toBe(WRONG);
    expect(became(one, after, ...events, more("z"))).toBe(WRONG);
    expect(became(one, after, ...events.slice(1))).toBe(WRONG);
    expect(became(one, one, ...events)).toBe(WRONG);
  });

  it("is compared by the content of its entries", () => {
    expect(became(one, one)).toBeUndefined();
    expect(became(one, talk(user("a")))).toBeUndefined();
  });

  it("differs when the content of any entry differs", () => {
    const three = talk(user("a"), user("b"), user("c"));
    expect(became(three, talk(user("a"), user("b"), user("c")))).toBeUndefined();
    expect(became(three, talk(user("z"), user("b"), user("c")))).toBe(WRONG);
    expect(became(three, talk(user("a"), user("z"), user("c")))).toBe(WRONG);
    expect(became(three, talk(user("a"), user("b"), user("z")))).toBe(WRONG);
    expect(became(three, talk({ role: "assistant", content: [textBlock("a")] }, user("b"), user("c")))).toBe(
      WRONG,
    );
  });

  it("differs when entries are missing or added", () => {
    expect(became(one, talk(user("a"), user("b")))).toBe(WRONG);
    expect(became(one, emptyConversation)).toBe(WRONG);
    expect(became(emptyConversation, one)).toBe(WRONG);
    expect(became(emptyConversation, talk())).toBeUndefined();
  });

  it("is emitted in order", () => {
    const after = talk(user("a"), user("b"), user("c"));
    expect(became(one, after, entry("c"), entry("b"))).toBe(WRONG);
  });
});

describe("the queue (L2)", () => {
  const queue = (...texts: readonly string[]): readonly QueuedMessage[] =>
    texts.map((text) => ({ id: text, text, images: [] }));
  const events = (...texts: readonly string[]): TaskEmitted => ({
    type: "queue.changed",
    queue: queue(...texts),
  });
  const became = (after: readonly QueuedMessage[], ...emitted: readonly TaskEmitted[]) =>
    replica.violation(stepOf({ before: { queue: queue("a") }, after: { queue: after }, emitted }));
  const WRONG = "the queue differs from its last event";

  it.each<[string, readonly string[]]>([
    ["longer", ["a", "b"]],
    ["empty", []],
    ["another", ["b"]],
  ])("is the last emitted one when it is %s", (_, texts) => {
    expect(became(queue(...texts), events(...texts))).toBeUndefined();
    expect(became(queue(...texts), events("z"), events(...texts), { type: "turn.ended" })).toBeUndefined();
    expect(became(queue(...texts), events(...texts), events("z"))).toBe(WRONG);
    expect(became(queue(...texts), events("a"))).toBe(WRONG);
    expect(became(queue(...texts), started("llm"))).toBe(WRONG);
    expect(became(queue(...texts))).toBe(WRONG);
  });

  it("is emitted with all fields of its messages", () => {
    const edited = [{ id: "a", text: "b", images: [] }];
    expect(became(edited, { type: "queue.changed", queue: edited })).toBeUndefined();
    expect(became(edited, events("a"))).toBe(WRONG);
  });

  it("is not emitted when unchanged", () => {
    const kept = queue("a");
    const step = stepOf({ before: { queue: kept }, after: { queue: kept }, emitted: [started("llm")] });
    expect(replica.violation(step)).toBeUndefined();
  });
});

/** A step from this log that emits and applies `events`. */
function stepBy(log: Log, ...events: readonly LogEvent[]): Step {
  return stepOf({ before: { log }, after: { log: events.reduce(applyLogEvent, log) }, emitted: events });
}
/** The step with the derived state of the log `other`. */
const meaning = (step: Step, other: Log): Step => ({
  ...step,
  after: {
    ...step.after,
    logFacts: { ...step.after.logFacts, derived: stepBy(other).after.logFacts.derived },
  },
});

describe("the log (L2)", () => {
  const one = say(1, "text", { text: "a" });
  const two = say(2, "text", { text: "b" });
  const json = (message: ClineMessage) => JSON.stringify(message);
  const became = (before: Log, after: Log, ...emitted: readonly LogEvent[]) =>
    replica.violation(stepOf({ before: { log: before }, after: { log: after }, emitted }));

  it("is the log before plus the emitted events, whatever created the log", () => {
    expect(became(logOf(one), logOf(one, two), appended(two))).toBeUndefined();
    expect(became(logOf(one), logOf({ ...one }, { ...two }), appended(two))).toBeUndefined();
  });

  it("differs when a message is missing or added; the first one is named", () => {
    expect(became(logOf(one), logOf(one), appended(two))).toBe(
      `message 1: the folded events have ${json(two)}, the log has undefined`,
    );
    expect(became(logOf(one), logOf(one, two))).toBe(
      `message 1: the folded events have undefined, the log has ${json(two)}`,
    );
  });

  it("differs when the content of any message differs", () => {
    const other = { ...one, text: "z" };
    expect(became(logOf(one, two), logOf(other, two))).toBe(
      `message 0: the folded events have ${json(one)}, the log has ${json(other)}`,
    );
    const grown: LogEvent = { type: "message.grown", ts: 1, text: "!" };
    expect(became(logOf(one, two), logOf(one, two), grown)).toMatch(/^message 0: .*a!.*, the log has .*"a"/);
    expect(became(logOf(one, two), logOf({ ...one, text: "a!" }, two), grown)).toBeUndefined();
  });
});

describe("a client's tracker (L2)", () => {
  const text = say(1, "text");
  const words = say(2, "text");

  it("derives the state of the log at the end of the macrostep", () => {
    const step = stepBy(logOf(text), appended(ask(2, "tool")));
    expect(replica.violation(step)).toBeUndefined();
    expect(replica.violation(meaning(step, logOf(ask(2, "tool"))))).toBeUndefined();
    expect(replica.violation(meaning(step, logOf(text)))).toBe(
      "after message.appended the tracker has waiting_for_input, the log derives running",
    );
  });

  it("derives the required action", () => {
    const step = stepBy(logOf(text), appended(ask(2, "tool")));
    expect(replica.violation(meaning(step, logOf(ask(2, "command"))))).toBeUndefined();
    expect(replica.violation(meaning(step, logOf(ask(2, "followup"))))).toMatch(/^after message.appended/);
  });

  it("derives the state of the agent, also when no action is required", () => {
    const step = stepBy(logOf(text), appended(say(2, "text", { partial: true })));
    expect(replica.violation(step)).toBeUndefined();
    expect(replica.violation(meaning(step, logOf(text)))).toBe(
      "after message.appended the tracker has streaming, the log derives running",
    );
  });

  it("is checked only at the end of the macrostep", () => {
    const step = stepBy(
      logOf(text),
      appended(ask(2, "tool")),
      { type: "log.truncated", length: 1 },
      appended(words),
    );
    expect(replica.violation(step)).toBeUndefined();
    expect(replica.violation(meaning(step, logOf(ask(2, "tool"))))).toBe(
      "after message.appended the tracker has running, the log derives waiting_for_input",
    );
  });

  it("is not checked when the log does not change", () => {
    const step = stepOf({ before: { log: logOf(text) }, emitted: [started("llm")] });
    expect(replica.violation(meaning(step, logOf(ask(2, "tool"))))).toBeUndefined();
  });

  it("follows consecutive macrosteps", () => {
    const first = stepBy(logOf(text), appended(say(2, "api_req_started", { text: "{}" })));
    expect(replica.violation(first)).toBeUndefined();
    const { log } = first.after.context;
    const second = stepBy(log, { type: "message.amended", ts: 2, patch: { text: '{"cost":0}' } });
    expect(replica.violation(second)).toBeUndefined();
    const third = stepBy(second.after.context.log, appended(ask(3, "tool")));
    expect(replica.violation(third)).toBeUndefined();
    expect(replica.violation(meaning(third, log))).toMatch(
      "the tracker has waiting_for_input, the log derives",
    );
  });

  it("knows the first request of a log, also after another log was checked", () => {
    const open = logOf(text, say(2, "api_req_started", { text: "{}" }));
    const close: LogEvent = { type: "message.amended", ts: 2, patch: { text: '{"cost":0}' } };
    const first = stepBy(open, appended(say(3, "text")));
    expect(replica.violation(first)).toBeUndefined();
    expect(replica.violation(stepBy(logOf(ask(1, "tool")), appended(words)))).toBeUndefined();
    expect(replica.violation(stepBy(first.after.context.log, close))).toBeUndefined();
    expect(replica.violation(stepBy(open, close))).toBeUndefined();
    expect(replica.violation(stepBy(open, appended(say(3, "text"))))).toBeUndefined();
  });

  it("is separate for each continuation of a log", () => {
    const log = logOf(text);
    const first = stepBy(log, appended(words));
    expect(replica.violation(first)).toBeUndefined();
    const then = first.after.context.log;
    expect(replica.violation(stepBy(then, appended(ask(3, "tool"))))).toBeUndefined();
    expect(replica.violation(stepBy(then, appended(say(3, "text", { partial: true }))))).toBeUndefined();
  });
});
