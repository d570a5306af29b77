import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { monitorCommits } from "../../../verify/monitor/commits.ts";
import { monitorConversation, type RecordedEntry } from "../../../verify/monitor/conversation.ts";
import { monitorMessages } from "../../../verify/monitor/messages.ts";
import type { LogViolation } from "../../../verify/monitor/violation.ts";
import { messageSchema } from "../../../wire/message-schema.ts";
import { recordedRun } from "./recordings.ts";

const RUNS = { numRuns: 40, endOnFailure: true };
const lines = (found: readonly LogViolation[]): string[] => found.map(({ law, at }) => `${law} at ${at}`);
const rowsOf = ({ run }: { run: { view: { context: { log: Iterable<ClineMessage> } } } }) => [
  ...run.view.context.log,
];

describe("a run of the shipped machine", () => {
  it("has no violation in its messages (L3, L4, L5, L8)", () => {
    fc.assert(
      fc.property(recordedRun, (one) => {
        expect(monitorMessages(rowsOf(one))).toEqual([]);
      }),
      RUNS,
    );
  });

  it("has no violation in its commits (L1-L6, L8)", () => {
    fc.assert(
      fc.property(recordedRun, ({ commits }) => {
        expect(monitorCommits(commits)).toEqual([]);
      }),
      RUNS,
    );
  });

  it("has no violation in its conversation (L6)", () => {
    fc.assert(
      fc.property(recordedRun, ({ run }) => {
        const found = monitorConversation(run.view.context.conversation as Iterable<RecordedEntry>);
        expect(found).toEqual([]);
      }),
      RUNS,
    );
  });
});

interface Mutation {
  readonly law: string;
  readonly what: string;
  /** The messages with the fault at the position, or undefined if it does not apply. */
  readonly put: (messages: readonly ClineMessage[], at: number) => readonly ClineMessage[] | undefined;
}

const amended = (messages: readonly ClineMessage[], at: number, patch: Partial<ClineMessage>) => {
  const message = messages[at];
  return message === undefined ? undefined : messages.with(at, { ...message, ...patch });
};

const MUTATIONS: readonly Mutation[] = [
  {
    law: "L3",
    what: "a partial message before the last",
    put: (messages, at) => (at < messages.length - 1 ? amended(messages, at, { partial: true }) : undefined),
  },
  {
    law: "L5",
    what: "a message with the ts of the previous one",
    put: (messages, at) => {
      const before = messages[at - 1];
      return before === undefined ? undefined : amended(messages, at, { ts: before.ts });
    },
  },
  {
    law: "L4",
    what: "a request left open before another",
    put: (messages, at) => {
      const isOlder =
        messages[at]?.say === "api_req_started" &&
        messages.slice(at + 1).some(({ say }) => say === "api_req_started");
      return isOlder ? amended(messages, at, { text: '{"apiProtocol":"anthropic"}' }) : undefined;
    },
  },
  {
    law: "L8",
    what: "an ask that was never closed",
    put: (messages, at) => {
      const message = messages[at];
      // Only a log with another closed ask records closings.
      const isMarked = messages.some(({ closing }, other) => other !== at && closing !== undefined);
      if (message?.type !== "ask" || message.closing === undefined || at === messages.length - 1 || !isMarked)
        return undefined;
      const { closing: _closing, isAnswered: _isAnswered, ...open } = message;
      return messages.with(at, open);
    },
  },
];

describe("a mutation of a message is reported with its law and position", () => {
  it.each(MUTATIONS)("$law: $what", ({ law, put }) => {
    let times = 0;
    fc.assert(
      fc.property(recordedRun, fc.nat(200), (one, pick) => {
        const messages = rowsOf(one);
        const places = [...messages.keys()].filter((at) => put(messages, at) !== undefined);
        const at = places[pick % places.length];
        if (at === undefined) return;
        times += 1;
        expect(lines(monitorMessages(put(messages, at) ?? []))).toContain(`${law} at ${at}`);
      }),
      RUNS,
    );
    expect(times).toBeGreaterThan(5);
  });
});

const text = (ts: number, more: Partial<ClineMessage> = {}): ClineMessage => ({
  ts,
  type: "say",
  say: "text",
  text: "a",
  ...more,
});
const append = (message: ClineMessage): LogEvent => ({ type: "message.appended", message });
const request = (ts: number, body: string): ClineMessage => ({
  ts,
  type: "say",
  say: "api_req_started",
  text: body,
});
const ask = (ts: number, more: Partial<ClineMessage> = {}): ClineMessage => ({
  ts,
  type: "ask",
  ask: "tool",
  text: "{}",
  ...more,
});

describe("messages alone", () => {
  it("an empty log satisfies every law", () => expect(monitorMessages([])).toEqual([]));

  it("L3: the last message is partial only while a request is open", () => {
    const partial = text(2, { partial: true });
    expect(monitorMessages([request(1, "{}"), partial])).toEqual([]);
    expect(lines(monitorMessages([request(1, '{"cost":0}'), partial]))).toEqual(["L3 at 1"]);
  });

  it("L3: a partial message is the last one; the number of messages after it is reported", () => {
    const messages = [request(1, "{}"), text(2, { partial: true }), text(3), text(4)];
    expect(monitorMessages(messages).map(({ at, came }) => `${at}: ${came}`)).toEqual([
      "1: say:text is partial, and 2 messages follow it",
    ]);
  });

  it("L4: a request is closed with its cost, and before the task waits", () => {
    expect(lines(monitorMessages([request(1, "not JSON")]))).toEqual(["L4 at 0"]);
    expect(lines(monitorMessages([request(1, "{}"), ask(2)]))).toEqual(["L4 at 0"]);
  });

  it("L8: in a log without closings, an ask before a resumption was never answered; others are reported once", () => {
    const messages = [ask(1), text(2), ask(3), text(4), ask(5), ask(6, { ask: "resume_task" })];
    const found = monitorMessages(messages);
    expect(lines(found)).toEqual(["L8 at 0", "L8 at 4"]);
    expect(found[0]?.came).toBe("2 asks have no closing mark; ask:tool is the first");
  });

  it("L8: in a log with closings, an ask without one is open and reported with the next message", () => {
    const messages = [ask(1, { closing: "withdrawn" }), ask(2), text(3), text(4)];
    expect(monitorMessages(messages).map(({ law, at, came }) => `${law} at ${at}: ${came}`)).toEqual([
      "L8 at 1: ask:tool is open, and say:text follows it",
    ]);
  });

  it("L8: an answered or partial ask is not open, nor the last message", () => {
    const answered = ask(1, { isAnswered: true });
    expect(monitorMessages([answered, text(2), ask(3)])).toEqual([]);
    const partial = monitorMessages([request(1, "{}"), ask(2, { partial: true }), text(3)]);
    expect(partial.map(({ law }) => law)).not.toContain("L8");
  });

  it("a violation has the expected and the actual behavior", () => {
    expect(monitorMessages([text(5), text(4)])).toEqual([
      { law: "L5", at: 1, expected: "a ts after the previous message's 5", came: "4" },
    ]);
  });
});

describe("changes, commit by commit", () => {
  const CASES: readonly { law: string; what: string; log: readonly LogEvent[] }[] = [
    {
      law: "L2",
      what: "a change of a missing message",
      log: [append(text(1)), { type: "message.grown", ts: 9, text: "b" }],
    },
    {
      law: "L3",
      what: "a partial message before another",
      log: [append(request(1, "{}")), append(text(2, { partial: true })), append(text(3))],
    },
    { law: "L4", what: "two open requests", log: [append(request(1, "{}")), append(request(2, "{}"))] },
    { law: "L5", what: "a ts that does not increase", log: [append(text(2)), append(text(2))] },
    {
      law: "L5",
      what: "a complete message that grows",
      log: [append(text(1)), { type: "message.grown", ts: 1, text: "b" }],
    },
    { law: "L5", what: "a log that is cut", log: [append(text(1)), { type: "log.truncated", length: 0 }] },
    {
      law: "L5",
      what: "a closed request that is reopened",
      log: [append(request(1, '{"cost":1}')), { type: "message.amended", ts: 1, patch: { text: "{}" } }],
    },
    { law: "L8", what: "a message after an open ask", log: [append(ask(1)), append(text(2))] },
    {
      law: "L8",
      what: "an ask that is closed twice",
      log: [
        append(ask(1, { closing: "answered" })),
        { type: "message.amended", ts: 1, patch: { closing: "expired" } },
      ],
    },
  ];
  it.each(CASES)("$law: $what", ({ law, log }) => {
    const found = monitorCommits(log.map((event) => ({ log: [event] })));
    expect(lines(found)).toContain(`${law} at ${log.length - 1}`);
    expect(new Set(found.map((one) => one.law)).has(law)).toBe(true);
  });

  it("L1: a recorded state that differs from the derived one", () => {
    expect(lines(monitorCommits([{ log: [append(ask(1))], after: "running.starting" }]))).toEqual([
      "L1 at 0",
    ]);
  });

  it("L6: a conversation sent with a call without a result", () => {
    const asked = {
      type: "entry.appended",
      entry: { role: "user", content: [{ type: "text", text: "go" }] },
    } as const;
    const called = {
      type: "entry.appended",
      entry: { role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: {} }] },
    } as const;
    const sent = { type: "effect.started", effect: "llm", id: "llm" } as const;
    expect(monitorCommits([{ conversation: [asked], effects: [sent] }, { conversation: [called] }])).toEqual(
      [],
    );
    const found = monitorCommits([{ conversation: [asked, called, asked], effects: [sent] }]);
    expect(lines(found)).toEqual(["L6 at 0"]);
  });

  it("a lasting violation is reported once", () => {
    const log = [append(ask(1)), append(text(2)), append(text(3)), append(text(4))];
    expect(lines(monitorCommits(log.map((event) => ({ log: [event] }))))).toEqual(["L8 at 1"]);
  });
});

describe("a conversation of any agent (L6)", () => {
  const use = (id: string) => ({ type: "tool_use", id, name: "read" });
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id });
  const user = (...content: RecordedEntry["content"][number][]): RecordedEntry => ({
    role: "user",
    content: content as never,
  });
  const model = (...content: RecordedEntry["content"][number][]): RecordedEntry => ({
    role: "assistant",
    content: content as never,
  });
  const go: RecordedEntry = { role: "user", content: "go" };

  it("is valid when calls have results or the last calls are pending", () => {
    expect(monitorConversation([go, model(use("a"), use("b")), user(result("a"), result("b"))])).toEqual([]);
    expect(monitorConversation([go, model(use("a"))])).toEqual([]);
    expect(monitorConversation([])).toEqual([]);
  });

  it("may have blocks of unknown kinds", () => {
    expect(
      monitorConversation([user({ type: "document" }), model({ type: "server_tool_use", id: "s" }), go]),
    ).toEqual([]);
  });

  const CASES: readonly { what: string; at: number; came: RegExp; entries: readonly RecordedEntry[] }[] = [
    { what: "a call without a result", at: 2, came: /no result/, entries: [go, model(use("a")), go] },
    {
      what: "a result without a call",
      at: 0,
      came: /not in the previous entry/,
      entries: [user(result("a"))],
    },
    {
      what: "results in another order",
      at: 2,
      came: /order/,
      entries: [go, model(use("a"), use("b")), user(result("b"), result("a"))],
    },
    { what: "two entries of one role", at: 1, came: /consecutive/, entries: [go, go] },
    { what: "an empty text", at: 0, came: /empty/, entries: [user({ type: "text", text: " " })] },
    {
      what: "thinking without its signature",
      at: 1,
      came: /signature/,
      entries: [go, model({ type: "thinking", thinking: "hm" }, { type: "text", text: "a" })],
    },
    {
      what: "a first entry of the assistant",
      at: 0,
      came: /user/,
      entries: [model({ type: "text", text: "a" })],
    },
  ];
  it.each(CASES)("reports $what, with its entry", ({ at, came, entries }) => {
    const found = monitorConversation(entries);
    expect(found[0]).toMatchObject({ law: "L6", at, came: expect.stringMatching(came) });
  });
});

describe("logs recorded in the field", () => {
  const file = new URL("../../fixtures/recorded-log-shapes.json", import.meta.url);
  const { logs } = z
    .object({ logs: z.array(z.object({ log: z.string(), messages: z.array(messageSchema) })) })
    .parse(JSON.parse(readFileSync(file, "utf8")));

  it("break the laws at these messages", () => {
    const found = logs.map(
      ({ log, messages }) => `${log}: ${lines(monitorMessages(messages as ClineMessage[])).join(", ")}`,
    );
    expect(found).toMatchInlineSnapshot(`
      [
        "log-8: L3 at 2, L8 at 4, L8 at 5, L3 at 8",
        "log-10: L3 at 2, L8 at 4, L3 at 7, L8 at 11, L3 at 14",
        "log-12: L4 at 1, L3 at 2, L8 at 4, L3 at 6, L8 at 8, L3 at 12, L3 at 16, L8 at 18, L3 at 22, L8 at 24, L3 at 28, L3 at 32",
        "log-14: L4 at 1, L3 at 2, L8 at 4, L3 at 6, L3 at 10, L3 at 17",
        "log-15: L3 at 1, L3 at 2, L8 at 3, L3 at 5, L3 at 9, L3 at 15, L3 at 19, L3 at 25, L3 at 29, L3 at 33, L3 at 39, L3 at 43, L3 at 47, L3 at 51, L3 at 57, L3 at 61, L3 at 66, L8 at 68, L3 at 72, L8 at 74, L3 at 78, L3 at 82, L3 at 87, L3 at 91, L3 at 94, L8 at 96, L3 at 100, L3 at 104, L3 at 109, L3 at 113, L3 at 118, L3 at 122, L3 at 127, L8 at 129, L3 at 133, L3 at 138, L3 at 142, L8 at 144",
        "log-17: L3 at 2, L8 at 4, L3 at 6, L3 at 16, L3 at 213, L3 at 226, L3 at 236, L3 at 240, L3 at 249, L3 at 253, L3 at 264, L3 at 270, L3 at 276, L3 at 282, L3 at 291, L8 at 293, L3 at 298, L8 at 300, L3 at 304, L3 at 308, L5 at 316, L3 at 318, L5 at 325, L3 at 327, L5 at 334, L3 at 336, L3 at 340, L3 at 350, L3 at 354, L3 at 358",
      ]
    `);
  });
});
