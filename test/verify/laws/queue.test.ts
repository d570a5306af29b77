import { describe, expect, it } from "vitest";
import type { QueuedMessage, TaskEmitted, TaskEvent } from "../../../machines/task/index.ts";
import { queue } from "../../../verify/laws/queue.ts";
import { appended, ask, logOf, say } from "./commit-parts.ts";
import { stepOf } from "./step.ts";

const item = (id: string, text = `words of ${id}`): QueuedMessage => ({ id, text, images: [] });
const [q1, q2, q3] = [item("q1"), item("q2"), item("q3")];
const said = (...items: readonly QueuedMessage[]): TaskEmitted[] =>
  items.map(({ text }) => appended(say(1, "user_feedback", { text })));

/** What the law says where `before` became `after`, by something that is not done to the queue. */
const left = (
  before: readonly QueuedMessage[],
  after: readonly QueuedMessage[],
  emitted: readonly TaskEmitted[] = [],
  event?: TaskEvent,
) =>
  queue.violation(
    stepOf({
      ...(event !== undefined && { event }),
      before: { queue: before },
      after: { queue: after },
      emitted,
    }),
  );

describe("what leaves the queue (QUEUE)", () => {
  it("is nothing where the queue stays, is copied, grows or changes its order", () => {
    expect(queue.violation(stepOf({ before: { queue: [q1] } }))).toBeUndefined();
    expect(left([q1, q2], [q1, q2])).toBeUndefined();
    expect(left([q1], [q1, q2])).toBeUndefined();
    expect(left([q1, q2], [q2, q1])).toBeUndefined();
  });

  it("is said in the same macrostep", () => {
    expect(left([q1], [])).toBe("q1 left the queue without a message");
    expect(left([q1], [], said(q1))).toBeUndefined();
  });

  it("is said one by one, all of it", () => {
    expect(left([q1, q2], [], said(q1, q2))).toBeUndefined();
    expect(left([q1, q2], [], said(q1))).toBe("q2 left the queue without a message");
    expect(left([q1, q2], [], said(q2))).toBe("q1 left the queue without a message");
  });

  it("is said itself, whatever stays", () => {
    expect(left([q1, q2], [q2])).toBe("q1 left the queue without a message");
    expect(left([q1, q2], [q1])).toBe("q2 left the queue without a message");
    expect(left([q1, q2], [q2], said(q1))).toBeUndefined();
    expect(left([q1], [q2])).toBe("q1 left the queue without a message");
  });

  it("is said in the order in which it waited", () => {
    expect(left([q1, q2], [], said(q2, q1))).toBe("q2 left the queue without a message");
    expect(left([q1, q2, q3], [], said(q1, q3, q2))).toBe("q3 left the queue without a message");
    expect(left([q1, q2, q3], [q2], said(q1, q3))).toBeUndefined();
  });

  it("is said among other rows, before and behind it", () => {
    const other = appended(say(1, "text", { text: "other words" }));
    const more = appended(say(1, "user_feedback", { text: "words that did not wait" }));
    const [one, two] = [said(q1), said(q2)];
    expect(left([q1, q2], [], [other, ...one, more, other, ...two, more])).toBeUndefined();
  });

  it("is said with its images, no more and no fewer", () => {
    const seen = { ...q1, images: ["data:image/png;base64,AAAA"] };
    const row = (images?: readonly string[]) =>
      appended(say(1, "user_feedback", { text: q1.text, ...(images !== undefined && { images }) }));
    expect(left([seen], [], [row(seen.images)])).toBeUndefined();
    expect(left([seen], [], [row()])).toBe("q1 left the queue without a message");
    expect(left([seen], [], [row([...seen.images, ...seen.images])])).toBe(
      "q1 left the queue without a message",
    );
    expect(left([seen], [], [row(["data:image/png;base64,BBBB"])])).toBe(
      "q1 left the queue without a message",
    );
    expect(left([q1], [], [row([])])).toBeUndefined();
    expect(left([q1], [], [row(seen.images)])).toBe("q1 left the queue without a message");
  });

  it("is said twice where the same words waited twice", () => {
    const again = item("again", q1.text);
    expect(left([q1, again], [], said(q1, again))).toBeUndefined();
    expect(left([q1, again], [], said(q1))).toBe("again left the queue without a message");
  });

  it.each<[string, TaskEmitted]>([
    ["a row of the agent", appended(say(1, "text", { text: q1.text }))],
    ["an ask", appended(ask(1, "followup", { text: q1.text }))],
    ["a feedback with other words", appended(say(1, "user_feedback", { text: "words of q" }))],
    ["a growth of a row", { type: "message.grown", ts: 1, text: q1.text }],
    ["what is told of the queue", { type: "queue.changed", queue: [q1] }],
  ])("is not said by %s", (_, piece) => {
    expect(left([q1], [], [piece])).toMatch(/q1 left the queue/);
  });

  it("is what was there before, not what came in this macrostep", () => {
    expect(left([], [q1])).toBeUndefined();
  });
});

describe("words that are removed from the queue (QUEUE)", () => {
  const removed = (id: string): TaskEvent => ({ type: "queue.removed", at: 1, id });

  it("need not be said", () => {
    expect(left([q1, q2], [q2], [], removed("q1"))).toBeUndefined();
    expect(left([q1, q2], [q1], [], removed("q2"))).toBeUndefined();
  });

  it("take no others with them", () => {
    expect(left([q1, q2], [], [], removed("q1"))).toBe("q2 left the queue without a message");
    expect(left([q1, q2], [q2], [], removed("q2"))).toBe("q1 left the queue without a message");
  });

  it("are not those that are edited", () => {
    const edited: TaskEvent = { type: "queue.edited", at: 1, id: "q1", text: "better words" };
    expect(left([q1], [item("q1", "better words")], [], edited)).toBeUndefined();
    expect(left([q1], [], [], edited)).toBe("q1 left the queue without a message");
  });
});

describe.each<TaskEvent>([
  { type: "queue.added", at: 1, item: q2 },
  { type: "queue.edited", at: 1, id: "q1", text: "better words" },
  { type: "queue.removed", at: 1, id: "q1" },
])("$type (QUEUE)", (event) => {
  const log = logOf(ask(5, "tool"));
  const before = { log, ask: { id: 5, ask: "tool", callId: "a" } as const };

  it("leaves the rows and the open ask as they are", () => {
    expect(queue.violation(stepOf({ event, before, after: { queue: [q3] } }))).toBeUndefined();
  });

  it.each([
    ["closes no ask", { ask: undefined }],
    ["opens no other ask", { ask: { id: 6, ask: "tool", callId: "b" } as const }],
    ["changes no row", { log: log.append(say(6, "text")) }],
    ["answers no ask", { log: log.set(0, ask(5, "tool", { closing: "answered" })), ask: undefined }],
  ] as const)("%s", (_, after) => {
    expect(queue.violation(stepOf({ event, before, after }))).toBe(
      `${event.type} changed a message or an ask`,
    );
  });
});

describe("an event that is not about the queue (QUEUE)", () => {
  it.each<TaskEvent>([
    { type: "task.cancel", at: 1 },
    { type: "ask.answered", at: 1, askId: 5, answer: { kind: "yes" } },
  ])("may change rows and asks: $type", (event) => {
    const log = logOf(ask(5, "tool", { closing: "withdrawn" }));
    const before = { ask: { id: 5, ask: "tool" } } as const;
    expect(queue.violation(stepOf({ event, before, after: { log, ask: undefined } }))).toBeUndefined();
  });
});
