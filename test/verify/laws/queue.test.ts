import { describe, expect, it } from "vitest";
import type { QueuedMessage, TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import { queue } from "../../../verify/laws/queue.ts";
import { appended, ask, logOf, say } from "./commit-parts.ts";
import { stepOf } from "./step.ts";

const item = (id: string, text = `words of ${id}`): QueuedMessage => ({ id, text, images: [] });
const [q1, q2, q3] = [item("q1"), item("q2"), item("q3")];
const said = (...items: readonly QueuedMessage[]): TaskEmitted[] =>
  items.map(({ text }) => appended(say(1, "user_feedback", { text })));

/** The violation when `before` became `after`, by default by an event that is not about the queue. */
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

describe("a text that leaves the queue (QUEUE)", () => {
  it("is not found when the queue is kept, copied, extended or reordered", () => {
    expect(queue.violation(stepOf({ before: { queue: [q1] } }))).toBeUndefined();
    expect(left([q1, q2], [q1, q2])).toBeUndefined();
    expect(left([q1], [q1, q2])).toBeUndefined();
    expect(left([q1, q2], [q2, q1])).toBeUndefined();
  });

  it("is shown in the same macrostep", () => {
    expect(left([q1], [])).toBe("q1 left the queue without a message");
    expect(left([q1], [], said(q1))).toBeUndefined();
  });

  it("is shown in a message of its own", () => {
    expect(left([q1, q2], [], said(q1, q2))).toBeUndefined();
    expect(left([q1, q2], [], said(q1))).toBe("q2 left the queue without a message");
    expect(left([q1, q2], [], said(q2))).toBe("q1 left the queue without a message");
  });

  it("is shown, whatever stays", () => {
    expect(left([q1, q2], [q2])).toBe("q1 left the queue without a message");
    expect(left([q1, q2], [q1])).toBe("q2 left the queue without a message");
    expect(left([q1, q2], [q2], said(q1))).toBeUndefined();
    expect(left([q1], [q2])).toBe("q1 left the queue without a message");
  });

  it("is shown in the order of the queue", () => {
    expect(left([q1, q2], [], said(q2, q1))).toBe("q2 left the queue without a message");
    expect(left([q1, q2, q3], [], said(q1, q3, q2))).toBe("q3 left the queue without a message");
    expect(left([q1, q2, q3], [q2], said(q1, q3))).toBeUndefined();
  });

  it("may be shown among other messages", () => {
    const other = appended(say(1, "text", { text: "other words" }));
    const more = appended(say(1, "user_feedback", { text: "words that did not wait" }));
    const [one, two] = [said(q1), said(q2)];
    expect(left([q1, q2], [], [other, ...one, more, other, ...two, more])).toBeUndefined();
  });

  it("is shown with exactly its images", () => {
    const seen = { ...q1, images: ["data:image/png;base64,AAAA"] };
    const message = (images?: readonly string[]) =>
      appended(say(1, "user_feedback", { text: q1.text, ...(images !== undefined && { images }) }));
    expect(left([seen], [], [message(seen.images)])).toBeUndefined();
    expect(left([seen], [], [message()])).toBe("q1 left the queue without a message");
    expect(left([seen], [], [message([...seen.images, ...seen.images])])).toBe(
      "q1 left the queue without a message",
    );
    expect(left([seen], [], [message(["data:image/png;base64,BBBB"])])).toBe(
      "q1 left the queue without a message",
    );
    expect(left([q1], [], [message([])])).toBeUndefined();
    expect(left([q1], [], [message(seen.images)])).toBe("q1 left the queue without a message");
  });

  it("is shown twice if it was queued twice", () => {
    const again = item("again", q1.text);
    expect(left([q1, again], [], said(q1, again))).toBeUndefined();
    expect(left([q1, again], [], said(q1))).toBe("again left the queue without a message");
  });

  it.each<[string, TaskEmitted]>([
    ["a message of the agent", appended(say(1, "text", { text: q1.text }))],
    ["an ask", appended(ask(1, "followup", { text: q1.text }))],
    ["a feedback with another text", appended(say(1, "user_feedback", { text: "words of q" }))],
    ["a growth of a message", { type: "message.grown", ts: 1, text: q1.text }],
    ["a change of the queue", { type: "queue.changed", queue: [q1] }],
  ])("is not shown by %s", (_, event) => {
    expect(left([q1], [], [event])).toMatch(/q1 left the queue/);
  });

  it("was queued before this macrostep", () => {
    expect(left([], [q1])).toBeUndefined();
  });
});

describe("with delivery one by one (QUEUE)", () => {
  /** The violation when these left the queue with a message, by default in the macrostep of a delivery. */
  const leave = (
    after: readonly QueuedMessage[],
    { from = "idle.delivering", event = fired, queueDelivery = "one" as "one" | "all" } = {},
  ) => {
    const before = [q1, q2];
    const emitted = said(...before.filter((one) => !after.includes(one)));
    return queue.violation(
      stepOf({ event, from, before: { queue: before, queueDelivery }, after: { queue: after }, emitted }),
    );
  };
  const fired: TaskEvent = { type: "timer.fired", at: 1, timerId: "queue:5" };

  it("only the oldest message leaves the queue", () => {
    expect(leave([q2])).toBeUndefined();
    expect(leave([q1])).toBe("expected the delivery of q1, got q2");
    expect(leave([])).toBe("expected the delivery of q1, got q1, q2");
    expect(leave([q1, q2])).toBeUndefined();
  });

  it.each(["running.settling", "streaming.preparing", "idle.completing", "resumable"])(
    "no message leaves it in %s",
    (from) => {
      expect(leave([q2], { from })).toBe(`a queued message was delivered in ${from}`);
      expect(leave([q1, q2], { from })).toBeUndefined();
      expect(leave([], { from, queueDelivery: "all" })).toBeUndefined();
    },
  );

  it("any message can be removed, anywhere", () => {
    const event: TaskEvent = { type: "queue.removed", at: 1, id: "q2" };
    expect(leave([q1], { from: "running.calling", event })).toBeUndefined();
  });
});

describe("a text removed from the queue (QUEUE)", () => {
  const removed = (id: string): TaskEvent => ({ type: "queue.removed", at: 1, id });

  it("need not be shown", () => {
    expect(left([q1, q2], [q2], [], removed("q1"))).toBeUndefined();
    expect(left([q1, q2], [q1], [], removed("q2"))).toBeUndefined();
  });

  it("removes no others", () => {
    expect(left([q1, q2], [], [], removed("q1"))).toBe("q2 left the queue without a message");
    expect(left([q1, q2], [q2], [], removed("q2"))).toBe("q1 left the queue without a message");
  });

  it("is not an edited one", () => {
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

  it("leaves the messages and the open ask unchanged", () => {
    expect(queue.violation(stepOf({ event, before, after: { queue: [q3] } }))).toBeUndefined();
  });

  it.each([
    ["closes no ask", { ask: undefined }],
    ["opens no other ask", { ask: { id: 6, ask: "tool", callId: "b" } as const }],
    ["changes no message", { log: log.append(say(6, "text")) }],
    ["answers no ask", { log: log.set(0, ask(5, "tool", { closing: "answered" })), ask: undefined }],
  ] as const)("%s", (_, after) => {
    expect(queue.violation(stepOf({ event, before, after }))).toBe(
      `${event.type} changed a message or an ask`,
    );
  });
});

describe("an event that is not about the queue (QUEUE)", () => {
  it.each<TaskEvent>([
    { type: "task.cancel", origin: "user", at: 1 },
    { type: "ask.answered", at: 1, askId: 5, answer: { kind: "yes" } },
  ])("may change messages and asks: $type", (event) => {
    const log = logOf(ask(5, "tool", { closing: "withdrawn" }));
    const before = { ask: { id: 5, ask: "tool" } } as const;
    expect(queue.violation(stepOf({ event, before, after: { log, ask: undefined } }))).toBeUndefined();
  });
});
