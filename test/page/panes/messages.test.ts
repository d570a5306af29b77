import { createElement } from "react";
import { assert, describe, test } from "vitest";
import { ASKS } from "../../../machines/message/asks.ts";
import { type ClineMessage, type Denial, SAYS } from "../../../machines/message/message.ts";
import type { Decision, Outcome } from "../../../machines/tool-call/call.ts";
import { MESSAGES_MAX_ITEMS, MessagesPane } from "../../../visualize/page/panes/messages/messages-pane.tsx";
import type { TraceReader } from "../../../visualize/trace/moment.ts";
import type { CommitRecord, JournalRecord } from "../../../wire/journal/record.ts";
import { assertHarmless, HOSTILE, htmlOf, readOf, tagsOf } from "./markup.ts";
import { appended, commit, paneAt, RECORDED, recorded, traceOf, traceOfMessages } from "./trace.ts";

const shown = (trace: TraceReader, at = trace.length - 1): string =>
  htmlOf(createElement(MessagesPane, paneAt(trace, at)));

/** The HTML of each message. */
const itemsOf = (html: string): readonly string[] =>
  Array.from(
    html.matchAll(/<li class="messages-item.*?(?=<li class="messages-item|<\/ol><\/div>|$)/gs),
    ([message]) => message,
  );

const lastOf = (html: string): string => itemsOf(html).at(-1) ?? "";

const prompt: ClineMessage = { ts: 1_001, type: "say", say: "text", text: "Do it" };
const messageOf = (message: Partial<ClineMessage>): ClineMessage => ({ ts: 1_500, type: "say", ...message });

/** A message of each kind, with this text. */
const vocabulary = (text: string | undefined): readonly ClineMessage[] => [
  ...Object.keys(ASKS).map((ask) => messageOf({ type: "ask", ask, ...(text !== undefined && { text }) })),
  ...SAYS.map((say) => messageOf({ say, ...(text !== undefined && { text }) })),
];

const nameOf = (message: ClineMessage): string =>
  `${message.type}:${message.type === "ask" ? message.ask : message.say}`;

/** Texts of messages in Roo Code's forms, with `word` in every text. */
const forms = (word: string): readonly string[] => [
  word,
  JSON.stringify(word),
  JSON.stringify([word, { [word]: word }]),
  JSON.stringify({
    tool: "appliedDiff",
    path: word,
    content: word,
    diff: `@@ -1 +1 @@\n-${word}\n+${word}`,
    regex: word,
    filePattern: word,
    query: word,
    reason: word,
    mode: word,
    isOutsideWorkspace: true,
    isProtected: true,
    diffStats: { added: 1, removed: 2 },
  }),
  ...["readFile", "newFileCreated", "newTask", "constructor", word].map((tool) =>
    JSON.stringify({ tool, path: word, content: word, todos: word }),
  ),
  JSON.stringify({ tool: "updateTodoList", todos: [{ id: word, content: word, status: word }] }),
  JSON.stringify({ question: word, suggest: [{ answer: word, mode: word }] }),
  JSON.stringify({ type: word, serverName: word, toolName: word, uri: word, arguments: { [word]: word } }),
  JSON.stringify({ apiProtocol: word, cancelReason: word, streamingFailedMessage: word, cost: 1e21 }),
  `${word}\n<retry_timer>99999999</retry_timer>`,
];

/** A hostile text in every other field of a message. */
const everyField = (word: string): Partial<ClineMessage> => ({
  images: [word, `data:${word};base64,AAAA`],
  reasoning: word,
  checkpoint: { [word]: word },
  progressStatus: { icon: word, text: word },
  contextCondense: { [word]: word },
  contextTruncation: { [word]: word },
  isProtected: true,
  apiProtocol: word,
  callId: word,
  denial: { policy: word, clause: word, since: [{ seq: 1 }, { seq: 7, task: word }] },
  exitCode: 3,
});

describe("the messages of a task", () => {
  test("an ask that a policy answered names the answer and the rule", () => {
    const ask: ClineMessage = { ts: 1_500, type: "ask", ask: "completion_result", text: "A is written." };
    const closing = { type: "message.amended", ts: ask.ts, patch: { closing: "expired" } } as const;
    const rule = "subtask in ~/.config/signalbox/settings.yaml:4";
    const closedBy = (cause: Partial<NonNullable<CommitRecord["cause"]>>) =>
      readOf(
        lastOf(
          shown(
            traceOf([
              commit(1, { log: [appended(prompt)] }),
              commit(2, { log: [appended(ask)] }),
              commit(3, { log: [closing], cause: { type: "ask.expired", at: 1_600, ...cause } }),
            ]),
          ),
        ),
      );
    assert.include(
      closedBy({ askId: ask.ts, answer: { kind: "yes" }, rule }),
      `answered: yes by the rule ${rule}`,
    );
    assert.include(closedBy({}), "expired: a policy closed it");
  });

  test("a request that was cut off without a usage shows no cost", () => {
    const request = (cost: number | null) =>
      lastOf(
        shown(
          traceOfMessages([
            prompt,
            messageOf({
              say: "api_req_started",
              text: JSON.stringify({ cost, cancelReason: "streaming_failed" }),
            }),
          ]),
        ),
      );
    assert.notInclude(readOf(request(0)), "$");
    assert.include(readOf(request(null)), "cost unknown");
    assert.include(readOf(request(0.5)), "$0.50");
  });

  test("each kind of ask and say has a title, with and without a text, and its type and ts only under ⋯", () => {
    for (const text of [undefined, "", "some words", '{"a":1}'])
      for (const message of vocabulary(text)) {
        const html = lastOf(shown(traceOfMessages([prompt, message])));
        const title = /messages-title">(.*?)<\/span>/.exec(html)?.[1] ?? "";
        assert.match(readOf(title), /^[A-Z]/, nameOf(message));
        assert.include(html, `title="${nameOf(message)}">⋯<`);
        assert.notInclude(readOf(html), nameOf(message));
        assert.notInclude(readOf(html), String(message.ts));
      }
  });

  test("each kind of message shows its text", () => {
    for (const message of vocabulary("some words")) {
      const html = lastOf(shown(traceOfMessages([prompt, message])));
      assert.include(readOf(html), "some words", nameOf(message));
    }
  });

  test("hostile content of any field of any kind of message is shown as text", () => {
    const words = HOSTILE.map((text) => text.slice(0, 300));
    const all = words.flatMap((word, turn) =>
      [
        // Each kind and each form has each text; a tool call has all of them.
        ...vocabulary("").map((message, nth) => ({
          ...message,
          text: forms(word)[(nth + turn) % forms("").length] ?? "",
        })),
        ...forms(word).map((text) => ({ type: "ask" as const, ask: "tool", text })),
        { type: "say" as const, say: word, text: word },
        { type: "ask" as const, ask: word, text: word },
      ].map((message) => ({ ...message, ...everyField(word) })),
    );
    for (let from = 0; from < all.length; from += MESSAGES_MAX_ITEMS) {
      const messages = all
        .slice(from, from + MESSAGES_MAX_ITEMS)
        .map((message, nth) => ({ ...message, ts: 2_000 + nth }));
      const html = shown(traceOf([commit(1, { log: [{ type: "log.replaced", messages }] })]));
      assert.equal(itemsOf(html).length, messages.length);
      assertHarmless(html);
    }
  });

  test("every kind of message shows long and deeply nested texts", () => {
    for (const text of HOSTILE.filter((word) => word.length > 1_000)) {
      const html = shown(
        traceOfMessages([prompt, ...vocabulary(text).map((message, i) => ({ ...message, ts: 2_000 + i }))]),
      );
      assertHarmless(html);
      assert.isBelow(html.length, 1_000_000);
    }
  });

  test("a log of 100,000 messages renders as many elements as one of a few hundred", () => {
    const messages = Array.from({ length: 100_000 }, (_, index) => ({ ...prompt, ts: 2_000 + index }));
    const trace = traceOf([commit(1, { log: [{ type: "log.replaced", messages }] })]);
    const html = shown(trace);
    assert.equal(itemsOf(html).length, MESSAGES_MAX_ITEMS);
    assert.isBelow(tagsOf(html).length, MESSAGES_MAX_ITEMS * 25);
    assert.include(readOf(html), `${(100_000 - MESSAGES_MAX_ITEMS).toLocaleString("en")} earlier messages`);
  });

  test("the first text is the user's, later ones the model's", () => {
    const [first, second] = itemsOf(shown(traceOfMessages([prompt, { ...prompt, ts: 1_002 }])));
    assert.include(first, "messages-author-user");
    assert.include(second, "messages-author-model");
  });

  test("the head of a request's message has the model that it was sent to, where the trace has one", () => {
    const request = messageOf({ say: "api_req_started", text: "{}" });
    const headOf = (facts: CommitRecord["facts"]): string => {
      const records = [
        commit(1, { log: [appended(prompt)] }),
        commit(2, { log: [appended(request)], ...(facts !== undefined && { facts }) }),
        commit(3, { facts: { model: { provider: "openai", id: "model-of-the-next" } } }),
      ];
      return readOf(lastOf(shown(traceOf(records))));
    };
    assert.include(
      headOf({ model: { provider: "anthropic", id: "claude-sonnet-4-5" } }),
      "claude-sonnet-4-5",
    );
    assert.notInclude(headOf(undefined), "model-of-the-next");
  });

  test("a condensed conversation shows its summary, and its tokens before and after", () => {
    const contextCondense = {
      summary: "The **file** was read.",
      cost: 0,
      prevContextTokens: 160_000,
      newContextTokens: 32_100,
    };
    const html = lastOf(
      shown(traceOfMessages([prompt, messageOf({ say: "condense_context", text: "", contextCondense })])),
    );
    assert.include(html, "<strong>file</strong>");
    assert.include(readOf(html), "160,000 tokens, then 32,100");
  });

  test("removed turns show their text, and the tokens before and after", () => {
    const contextTruncation = {
      truncationId: "7",
      messagesRemoved: 2,
      prevContextTokens: 968,
      newContextTokens: 512,
    };
    const html = lastOf(
      shown(
        traceOfMessages([
          prompt,
          messageOf({
            say: "sliding_window_truncation",
            text: "The oldest 2 messages are left out.",
            contextTruncation,
          }),
        ]),
      ),
    );
    assert.include(readOf(html), "The oldest 2 messages are left out.");
    assert.include(readOf(html), "968 tokens, then 512");
  });

  test("a condensation that is under way, or without numbers, shows what it has", () => {
    const condensing = messageOf({ say: "condense_context", text: "", partial: true });
    assert.include(readOf(lastOf(shown(traceOfMessages([prompt, condensing])))), "Context condensed");
    const foreign = messageOf({ say: "condense_context", contextCondense: { newContextTokens: "few" } });
    assert.include(readOf(lastOf(shown(traceOfMessages([prompt, foreign])))), "few");
  });

  test("a partial message has a cursor", () => {
    for (const say of ["text", "reasoning"]) {
      const message = messageOf({ say, text: "so far", partial: true });
      assert.include(shown(traceOfMessages([prompt, message])), "text-growing");
      assert.notInclude(shown(traceOfMessages([prompt, { ...message, partial: false }])), "text-growing");
    }
  });
});

describe("a denied call", () => {
  const denied = (denial: Denial) =>
    readOf(lastOf(shown(traceOfMessages([prompt, messageOf({ say: "error", text: "why", denial })]))));

  test.each([
    [{ hook: "lint" }, "denied by the hook lint"],
    [{ rule: "edit(**) in s.yaml" }, "denied by the rule edit(**) in s.yaml"],
    [{ policy: "p", clause: "c", since: [] }, "denied by the clause c of the policy p"],
    [{ policy: "p", clause: "c", since: [{ seq: 1 }, { seq: 9 }] }, "since event 1, record 9"],
    [{ policy: "p", clause: "c", since: [{ seq: 1, task: "t.1" }] }, "since record 1 of task t.1"],
  ])("%o is shown as: %s", (denial, text) => {
    assert.include(denied(denial), text);
    assert.include(denied(denial), "Denied");
    assert.include(denied(denial), "why");
  });
});

describe("a call that wrote", () => {
  const ask = messageOf({ type: "ask", ask: "tool", text: "{}", callId: "c", closing: "answered" });
  const identity = { callId: "c", toolUseId: "u", name: "apply_patch", ask: "tool" } as const;
  const lines = [{ before: { start: 1, count: 1 }, after: { start: 1, count: 3 } }];
  const writes = [
    { path: "a.ts", before: "1", after: "2", lines },
    { path: "b.ts", before: "1", after: null },
    { path: "c.png", before: "1", after: "2" },
  ];
  const wrote = (end: JournalRecord, facts: CommitRecord["facts"] = {}) => {
    const log = [appended(prompt), appended(ask)];
    const start = commit(1, { log, facts, calls: [{ ...identity, phase: "running", replayable: false }] });
    const trace = traceOf([start, end]);
    return [1, 2].map((at) => readOf(itemsOf(shown(trace, at))[1] ?? ""));
  };
  const settled = commit(2, {
    calls: [{ ...identity, phase: "settled", outcome: { kind: "done", content: [], writes } }],
  });

  test("shows its files, and the intent that its task worked for, from its event on", () => {
    const [before = "", after = ""] = wrote(settled, { intent: { stage: "selected", id: "INT-1" } });
    assert.notInclude(before, "wrote");
    assert.include(
      after,
      "wrote a.ts +3 −1 b.ts (deleted) c.png (no text) under the intent INT-1 in event 2",
    );
  });

  test("names no intent in a workspace without", () => {
    assert.include(wrote(settled)[1] ?? "", "c.png (no text)  in event 2");
  });

  test("shows them also if it ended after it was stopped", () => {
    const end = { callId: "c", content: [], writes };
    assert.include(wrote({ seq: 2, kind: "effect.end", at: 1, ...end })[1] ?? "", "wrote a.ts +3 −1");
  });
});

describe("the changes of an event", () => {
  const message = messageOf({ say: "text", text: "a", partial: true });
  const trace = traceOf([
    commit(1, { log: [appended(prompt)] }),
    commit(2, { log: [appended(message)] }),
    commit(3, { log: [{ type: "message.grown", ts: message.ts, text: "bcd" }] }),
    commit(4, { log: [{ type: "message.amended", ts: message.ts, patch: { partial: false } }] }),
    commit(5),
  ]);

  test.each([
    [2, "appended here"],
    [3, "grew by 3 here"],
    [4, "amended here: partial"],
  ])("event %i marks the message that it changed", (at, mark) => {
    const html = shown(trace, at);
    assert.include(readOf(lastOf(html)), mark);
    assert.equal(tagsOf(html).filter(({ attributes }) => attributes.has("data-marked")).length, 1);
  });

  test("an event without message changes marks none", () => {
    assert.isFalse(tagsOf(shown(trace, 5)).some(({ attributes }) => attributes.has("data-marked")));
  });

  test("the messages are those after the current event, not the newest", () => {
    assert.equal(itemsOf(shown(trace, 1)).length, 1);
    assert.notInclude(readOf(shown(trace, 2)), "abcd");
  });

  test("a message links to the event that appended it, not to the one that changed it", () => {
    assert.include(lastOf(shown(trace, 4)), "Go to event 2,");
  });
});

describe("the message that decides the state, by the rules of derivation", () => {
  const request = messageOf({ say: "api_req_started", text: "{}" });
  const words = messageOf({ ts: 1_600, say: "text", text: "hm" });
  const cases: readonly (readonly [string, readonly ClineMessage[], number])[] = [
    ["R0", [], -1],
    ["R1", [prompt, { ...words, partial: true }], 1],
    ["R2", [prompt, messageOf({ type: "ask", ask: "followup", text: "?" })], 1],
    ["R3", [prompt, request, words], 1],
    ["R4", [prompt, words], 1],
  ];

  test.each(cases)("%s is shown at its message", (rule, messages, deciding) => {
    const html = shown(traceOfMessages(messages));
    const marked = itemsOf(html).map((message) => message.includes("messages-deciding"));
    assert.equal(marked.indexOf(true), deciding);
    assert.equal(marked.filter(Boolean).length, deciding < 0 ? 0 : 1);
    assert.match(readOf(html), new RegExp(`${rule} \\w+.*\\.`));
  });
});

describe("the status of an ask (L8)", () => {
  const ask = messageOf({ type: "ask", ask: "tool", text: "{}", callId: "c" });
  const status = (message: Partial<ClineMessage>, behind: readonly ClineMessage[] = []) =>
    readOf(itemsOf(shown(traceOfMessages([prompt, { ...ask, ...message }, ...behind])))[1] ?? "");

  test("each closing is shown", () => {
    assert.include(status({}), "waiting for an answer");
    assert.include(status({ partial: true }), "partial: can't be answered yet");
    assert.include(status({ closing: "withdrawn" }), "withdrawn");
    assert.include(status({ closing: "expired" }), "expired");
    assert.include(status({ closing: "ended" }), "ended with its command");
    assert.include(status({ closing: "answered" }), "answered");
    assert.include(status({}, [{ ...prompt, ts: 1_900 }]), "not closed");
  });

  const answeredWith = (kind: string) =>
    traceOf([
      commit(1, { log: [appended(prompt), appended(ask)] }),
      commit(2, {
        cause: { type: "ask.answered", at: 2_000, askId: ask.ts, answer: { kind } },
        log: [{ type: "message.amended", ts: ask.ts, patch: { closing: "answered" } }],
      }),
    ]);

  test("an answer is shown with its kind, from its event on", () => {
    assert.include(readOf(shown(answeredWith("yes"))), "answered: yes");
    assert.include(readOf(shown(answeredWith("no"))), "answered: no");
    assert.include(readOf(shown(answeredWith("text"))), "answered with text");
    assert.include(readOf(shown(answeredWith("yes"), 1)), "waiting for an answer");
  });

  test("a withdrawn ask of a call that was denied says so, from its event on", () => {
    const denied = messageOf({ ts: 1_700, say: "error", text: "no", callId: "c", denial: { rule: "r" } });
    const trace = traceOf([
      commit(1, { log: [appended(prompt), appended({ ...ask, closing: "withdrawn" })] }),
      commit(2, { log: [appended(denied)] }),
    ]);
    assert.include(readOf(itemsOf(shown(trace, 1))[1] ?? ""), "withdrawn");
    assert.include(readOf(itemsOf(shown(trace, 2))[1] ?? ""), "denied");
  });

  test("a tool call that a rule allowed names the rule (L7)", () => {
    const trace = traceOf([
      commit(1, {
        log: [appended(prompt), appended({ ...ask, closing: "answered" })],
        decisions: [{ callId: "c", digest: "d", by: { rule: "reads-inside" }, at: 1 }],
      }),
    ]);
    assert.include(readOf(shown(trace)), "allowed by the rule reads-inside");
  });
});

describe("the title of an ask", () => {
  const command = messageOf({ type: "ask", ask: "command", text: "npm test", callId: "c" });
  const call = { callId: "c", toolUseId: "t", name: "execute_command", ask: "command" } as const;
  const outcomeOf = (kind: Outcome["kind"]) =>
    commit(2, { calls: [{ ...call, phase: "settled", outcome: { kind, content: [] } }] });
  /** The command, allowed by this, and then ended. */
  const allowed = (by: Decision["by"], kind: Outcome["kind"] = "done") =>
    traceOf([
      commit(1, {
        log: [appended(prompt), appended({ ...command, closing: "answered" })],
        decisions: [{ callId: "c", digest: "d", by, at: 1 }],
      }),
      outcomeOf(kind),
    ]);
  const titleAt = (trace: TraceReader, at?: number): string =>
    readOf(/messages-title">(.*?)<\/span>/.exec(itemsOf(shown(trace, at))[1] ?? "")?.[1] ?? "");
  const badgesOf = (trace: TraceReader): string => readOf(itemsOf(shown(trace))[1] ?? "");

  test("an open ask is a question", () => {
    assert.equal(titleAt(traceOfMessages([prompt, command])), "Run a command?");
  });

  test("an allowed call says what it did, and who allowed it", () => {
    const byRule = allowed({ rule: "allow-commands npm test" });
    assert.equal(titleAt(byRule, 1), "Running: npm test");
    assert.equal(titleAt(byRule), "Ran npm test");
    assert.include(badgesOf(byRule), "allowed by the rule allow-commands npm test");
    assert.include(badgesOf(allowed({ rule: "mode bypass" })), "allowed by the mode bypass");
    assert.include(badgesOf(allowed({ person: true, program: true })), "allowed by the program");
  });

  test("a call that failed, was denied or was rejected says so", () => {
    assert.equal(titleAt(allowed({ person: true }, "failed")), "Failed: npm test");
    assert.equal(titleAt(allowed({ rule: "r" }, "interrupted")), "Interrupted: npm test");
    const rejected = traceOf([
      commit(1, { log: [appended(prompt), appended({ ...command, closing: "answered" })] }),
      outcomeOf("denied"),
    ]);
    assert.equal(titleAt(rejected), "Denied: npm test");
  });

  test("no closed ask is a question", () => {
    for (const ask of Object.keys(ASKS))
      for (const closing of ["answered", "withdrawn", "expired", "ended"] as const) {
        const trace = traceOfMessages([prompt, messageOf({ type: "ask", ask, text: "x", closing })]);
        assert.match(titleAt(trace), /^[A-Z].*[^?.]$/, `${ask} ${closing}`);
      }
  });
});

test("each event of a recorded task shows the messages and the state after it", () => {
  for (const name of RECORDED) {
    const trace = recorded(name);
    for (let at = trace.length - 1; at >= 0; at -= 3) {
      const html = shown(trace, at);
      assert.equal(itemsOf(html).length, trace.moment(at).memory.log.length);
      assert.include(html, trace.moment(at).derived.state);
    }
  }
});
