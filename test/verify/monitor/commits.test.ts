import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyConversationEvent,
  type ConversationEvent,
  emptyConversation,
} from "../../../machines/conversation/conversation.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage, Patch } from "../../../machines/message/message.ts";
import { CommitMonitor, monitorCommits } from "../../../verify/monitor/commits.ts";
import { monitorConversation, type RecordedEntry } from "../../../verify/monitor/conversation.ts";
import { quoted } from "../../../verify/monitor/violation.ts";

type More = Partial<ClineMessage>;
const say = (ts: number, more: More = {}): ClineMessage => ({
  ts,
  type: "say",
  say: "text",
  text: "a",
  ...more,
});
const ask = (ts: number, more: More = {}): ClineMessage => ({
  ts,
  type: "ask",
  ask: "tool",
  text: "{}",
  ...more,
});
const output = (ts: number, more: More = {}): ClineMessage =>
  ask(ts, { ask: "command_output", text: "a", ...more });
const request = (ts: number, text = "{}"): ClineMessage => say(ts, { say: "api_req_started", text });
const append = (message: ClineMessage): LogEvent => ({ type: "message.appended", message });
const grow = (ts: number): LogEvent => ({ type: "message.grown", ts, text: "more" });
const amend = (ts: number, patch: Patch): LogEvent => ({ type: "message.amended", ts, patch });
/** An untyped recording, as of another program. */
const foreign = (ts: number, patch: Record<string, unknown>): LogEvent => amend(ts, patch);

/** The violations of the last of these changes. Each is a commit. */
function violationsOf(...log: LogEvent[]): string[] {
  const found = monitorCommits(log.map((event) => ({ log: [event] })));
  return found.filter(({ at }) => at === log.length - 1).map(({ law, came }) => `${law}: ${came}`);
}

describe("a message that grows (L5)", () => {
  it.each<[string, ClineMessage]>([
    ["partial", say(2, { partial: true })],
    ["the shown output of a command", output(2)],
  ])("is %s, and the last", (_, message) => {
    expect(violationsOf(append(request(1)), append(message), grow(2))).not.toContainEqual(
      expect.stringMatching(/^L5/),
    );
  });

  it.each<[string, ClineMessage, string]>([
    ["whole", say(2), "say:text"],
    ["another ask", ask(2), "ask:tool"],
    ["the output of a command that ended", output(2, { closing: "answered" }), "ask:command_output"],
  ])("is not %s", (_, message, name) => {
    expect(violationsOf(append(request(1)), append(message), grow(2))).toContain(
      `L5: ${name} (2) was changed by "more"`,
    );
  });

  it("is not followed by another", () => {
    const log = [append(request(1)), append(say(2, { partial: true })), append(say(3))];
    expect(violationsOf(...log, grow(2))).toContain('L5: say:text (2) was changed by "more"');
  });
});

const STATUS: Patch = { progressStatus: { text: "half" } };

describe("an amended message (L5)", () => {
  it.each<[string, ClineMessage, Patch]>([
    ["partial and last, in any way", say(2, { partial: true }), { text: "b", partial: false }],
    ["an open request, in its text", request(2), { text: '{"cost":1}' }],
    ["an open ask, in its closing", ask(2), { isAnswered: true, closing: "answered" }],
    ["an open ask, with its own text", ask(2), { text: "{}", closing: "answered" }],
    ["the output of a command, by a longer text", output(2), { text: "a and b" }],
    ["an answered ask of a call, in its status", ask(2, { callId: "c", closing: "answered" }), STATUS],
    ["an expired ask of a call, in its status", ask(2, { callId: "c", closing: "expired" }), STATUS],
    [
      "the output of a command, closed with all of its text",
      output(2),
      { text: "a and b", closing: "answered" },
    ],
  ])("may be %s", (_, message, patch) => {
    expect(violationsOf(append(say(1)), append(message), amend(2, patch))).not.toContainEqual(
      expect.stringMatching(/^L5/),
    );
  });

  it.each<[string, ClineMessage, Patch]>([
    ["whole", say(2), { text: "b" }],
    ["an open request, in anything else", request(2), { partial: false }],
    ["an open request, in more than its text", request(2), { text: '{"cost":1}', partial: false }],
    ["a closed request", request(2, '{"cost":1}'), { text: '{"cost":2}' }],
    ["an open ask, in its text", ask(2), { text: "b" }],
    ["an open ask, by a longer text", ask(2), { text: "{} and more" }],
    ["an open ask, in its closing and its text", ask(2), { text: "b", closing: "answered" }],
    ["an open ask of a call, in its status", ask(2, { callId: "c" }), STATUS],
    ["a withdrawn ask of a call, in its status", ask(2, { callId: "c", closing: "withdrawn" }), STATUS],
    ["an answered ask of no call, in its status", ask(2, { closing: "answered" }), STATUS],
    ["a say of a call, in its status", say(2, { callId: "c", closing: "answered" }), STATUS],
    [
      "an answered ask of a call, in more than its status",
      ask(2, { callId: "c", closing: "answered" }),
      { ...STATUS, text: "b" },
    ],
    ["the output of a command, by other text", output(2), { text: "b a" }],
    ["the output of a command, in anything else", output(2), { callId: "c" }],
    ["the output of a command, in more than its text", output(2), { text: "a and b", callId: "c" }],
    ["a closed ask, in its text", output(2, { closing: "answered" }), { text: "a and b" }],
  ])("may not be %s", (_, message, patch) => {
    expect(violationsOf(append(say(1)), append(message), amend(2, patch))).toContainEqual(
      expect.stringMatching(/^L5: .* \(2\) was changed by \{/),
    );
  });

  it.each(["ts", "type", "ask", "say"])("never changes its %s, even while it is partial", (key) => {
    const log = [append(request(1)), append(say(2, { partial: true }))];
    expect(violationsOf(...log, foreign(2, { [key]: "other", text: "b" }))).toContainEqual(
      expect.stringMatching(/^L5/),
    );
  });

  it("is the last one if it is partial or shown output", () => {
    for (const message of [say(2, { partial: true }), output(2)])
      expect(
        violationsOf(append(request(1)), append(message), append(say(3)), amend(2, { text: "a and b" })),
      ).toContainEqual(expect.stringMatching(/^L5/));
  });
});

describe("a violation", () => {
  it("is reported each time", () => {
    const log = [append(say(1)), grow(1), grow(1)];
    const found = monitorCommits(log.map((event) => ({ log: [event] })));
    expect(found.map(({ law, at }) => `${law} at ${at}`)).toEqual(["L5 at 1", "L5 at 2"]);
  });
});

describe("an ask (L8)", () => {
  it("is closed once; amendments without a closing are allowed", () => {
    const closed = append(ask(1, { closing: "answered" }));
    expect(violationsOf(closed, amend(1, { closing: "expired" }))).toEqual([
      "L8: ask:tool (1) was closed again",
    ]);
    expect(violationsOf(closed, amend(1, { text: "b" }))).toEqual([
      'L5: ask:tool (1) was changed by {"text":"b"}',
    ]);
  });

  it("is not closed by a closing of a message of another kind", () => {
    expect(violationsOf(append(say(1)), amend(1, { closing: "answered" }))).toEqual([
      'L5: say:text (1) was changed by {"closing":"answered"}',
    ]);
  });

  it("that is left open is reported, also after another violation", () => {
    const log = [append(say(1)), append(ask(2)), grow(1), append(say(3))];
    expect(violationsOf(...log)).toEqual(["L8: say:text after ask:tool (2)"]);
  });
});

describe("an answer that changes something (L8)", () => {
  const answer = (askId: number, ...log: LogEvent[]) => ({ cause: { type: "ask.answered", askId }, log });
  const broken = (...messages: ClineMessage[]) => {
    const close = amend(2, { closing: "answered" });
    const found = monitorCommits([{ log: messages.map(append) }, answer(1, close)]);
    return found.filter(({ law }) => law === "L8").map(({ expected, came }) => `${expected}; ${came}`);
  };

  it("names the last message", () => {
    expect(broken(ask(1))).toEqual([]);
    expect(broken(ask(1, { closing: "answered" }), ask(2))).toEqual([
      "an answer to ask:tool (2); an answer to 1",
    ]);
  });

  it("names a whole ask", () => {
    expect(broken(ask(1, { partial: true }))).toContain("no answer: no ask is open; an answer to 1");
    expect(broken(say(1))).toContain("no answer: no ask is open; an answer to 1");
  });

  it("may have no ask in an older journal", () => {
    expect(monitorCommits([{ log: [append(ask(1))] }, { cause: { type: "ask.answered" } }])).toEqual([]);
  });
});

describe("a replaced or truncated log", () => {
  const replace = (...messages: ClineMessage[]): LogEvent => ({ type: "log.replaced", messages });

  it("is a violation if there were messages (L5)", () => {
    expect(violationsOf(replace(say(1)))).toEqual([]);
    expect(violationsOf({ type: "log.truncated", length: 0 })).toEqual([]);
    expect(violationsOf(append(say(1)), replace(say(1)))).toEqual(["L5: a log.replaced"]);
    expect(violationsOf(append(say(1)), { type: "log.truncated", length: 1 })).toEqual([
      "L5: a log.truncated",
    ]);
  });

  it("is checked message by message; only the new messages may be open (L3, L4, L8)", () => {
    const open = [append(request(1)), append(say(2, { partial: true }))];
    expect(violationsOf(...open, replace(say(3)))).toEqual(["L5: a log.replaced"]);
    expect(violationsOf(...open, { type: "log.truncated", length: 0 })).toEqual(["L5: a log.truncated"]);
    expect(violationsOf(replace(say(1, { partial: true }), ask(2), say(3)))).toEqual([
      "L3: the message 1 is not",
      "L8: the message 2 is not",
    ]);
  });
});

describe("requests (L4)", () => {
  it("are open only while streaming, and are reported once", () => {
    const log = [append(request(1)), append(ask(2))];
    expect(violationsOf(...log)).toEqual(["L4: 1 are open"]);
    expect(violationsOf(...log, amend(2, { isAnswered: true, closing: "answered" }), append(ask(3)))).toEqual(
      [],
    );
    expect(violationsOf(...log, append(request(3)))).toContain("L4: 2 are open");
  });
});

describe("a sent conversation (L6)", () => {
  const called = {
    type: "entry.appended",
    entry: { role: "assistant", content: [{ type: "text", text: "I speak first." }] },
  } as const;
  const violationsAt = (type: "effect.started" | "effect.stopped", effect: "llm" | "tool") =>
    monitorCommits([
      {
        conversation: [called],
        effects: [
          { type: "effect.started", effect: "ask", id: "a" },
          { type, effect, id: "b" },
        ],
      },
    ]).map(({ law, came }) => `${law}: ${came}`);

  it("is checked when a model request starts, among other effects", () => {
    expect(violationsAt("effect.started", "llm")).toEqual([expect.stringMatching(/^L6: entry 0: /)]);
    expect(violationsAt("effect.started", "tool")).toEqual([]);
    expect(violationsAt("effect.stopped", "llm")).toEqual([]);
  });
});

describe("a conversation that grows between requests (L6)", () => {
  const block = fc.constantFrom(
    { type: "text", text: "a" },
    { type: "text", text: "" },
    { type: "tool_use", id: "1", name: "look", input: {} },
    { type: "tool_use", id: "2", name: "look", input: {} },
    { type: "tool_result", tool_use_id: "1", content: [] },
    { type: "tool_result", tool_use_id: "2", content: [] },
  );
  const content = fc.array(block, { maxLength: 3 });
  const entry = fc.record({ role: fc.constantFrom("user", "assistant"), content }) as fc.Arbitrary<Entry>;
  const change: fc.Arbitrary<ConversationEvent> = fc.oneof(
    { weight: 4, arbitrary: entry.map((entry) => ({ type: "entry.appended", entry }) as const) },
    content.map((content) => ({ type: "entry.extended", content }) as ConversationEvent),
    fc
      .record({ count: fc.nat(3), by: fc.array(entry, { maxLength: 1 }) })
      .map((more) => ({ type: "entries.replaced", ...more }) as const),
  );
  const send = [{ type: "effect.started", effect: "llm", id: "r" }] as const;

  it("has the faults that a check of the whole conversation finds at each request", () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 6 }), (commits) => {
        let whole = emptyConversation;
        const expected = new Set<string>();
        for (const conversation of commits) {
          whole = conversation.reduce(applyConversationEvent, whole);
          for (const { at, came } of monitorConversation(whole as Iterable<RecordedEntry>))
            expected.add(`entry ${at}: ${came}`);
        }
        const found = monitorCommits(commits.map((conversation) => ({ conversation, effects: send })));
        expect(found.map(({ came }) => came).sort()).toEqual([...expected].sort());
      }),
      { numRuns: 500 },
    );
  });
});

describe("a log without known commits", () => {
  it("is followed change by change, and checked when the task settles", () => {
    const monitor = new CommitMonitor();
    expect(monitor.at).toBe(-1);
    monitor.addChange(append(ask(1)));
    monitor.addChange(append(say(2)));
    expect(monitor.at).toBe(1);
    expect(monitor.log.toArray()).toEqual([ask(1), say(2)]);
    expect(monitor.violations.map(({ law, at }) => `${law} at ${at}`)).toEqual(["L8 at 1"]);
    monitor.addChange(append(request(3)));
    monitor.addChange(append(request(4)));
    expect(monitor.violations).toHaveLength(1);
    monitor.settle();
    expect(monitor.violations.map(({ law, at }) => `${law} at ${at}`)).toEqual(["L8 at 1", "L4 at 3"]);
  });
});

describe("a quoted value", () => {
  it("is JSON, truncated to 60 characters", () => {
    expect(quoted({ a: 1 })).toBe('{"a":1}');
    expect(quoted(undefined)).toBe("undefined");
    expect(quoted("x".repeat(58))).toBe(`"${"x".repeat(58)}"`);
    expect(quoted("x".repeat(59))).toBe(`"${"x".repeat(59)}…`);
  });
});
