import { createElement } from "react";
import { assert, describe, test } from "vitest";
import type { Entry } from "../../../machines/conversation/entry.ts";
import {
  CONVERSATION_MAX_ENTRIES,
  ConversationPane,
} from "../../../visualize/page/panes/conversation/conversation-pane.tsx";
import type { TraceReader } from "../../../visualize/trace/moment.ts";
import { assertHarmless, HOSTILE, htmlOf, readOf, tagsOf } from "./markup.ts";
import { commit, paneAt, RECORDED, recorded, traceOf } from "./trace.ts";

const shown = (trace: TraceReader, at = trace.length - 1): string =>
  htmlOf(createElement(ConversationPane, paneAt(trace, at)));

const said = (text: string): Entry => ({ role: "user", content: [{ type: "text", text }] });
const calls = (...ids: string[]): Entry => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: `tool_${id}`, input: { path: "a" } })),
});
const results = (...ids: string[]): Entry => ({
  role: "user",
  content: ids.map((id) => ({
    type: "tool_result",
    tool_use_id: id,
    content: [{ type: "text", text: "ok" }],
  })),
});

const traceOfEntries = (...entries: readonly Entry[]) =>
  traceOf(entries.map((entry, i) => commit(i + 1, { conversation: [{ type: "entry.appended", entry }] })));

/** The number and the colour of each tool call and result. */
const pairsIn = (html: string) =>
  Array.from(html.matchAll(/conversation-pair-(\w+)"><b>(.*?)<\/b>/g), ([, colour, number]) => [
    number,
    colour,
  ]);

const blocksOf = (html: string) =>
  Array.from(html.matchAll(/<div class="(conversation-block[^"]*)"/g), ([, name = ""]) =>
    name.includes("conversation-added"),
  );

describe("tool calls and results (L6)", () => {
  test("a result has the number and the colour of its call", () => {
    const html = shown(
      traceOfEntries(said("go"), calls("a", "b"), results("a", "b"), calls("c"), results("c")),
    );
    const numbers = pairsIn(html).map(([number]) => number);
    assert.deepEqual(numbers, ["1", "2", "1", "2", "3", "3"]);
    const colours = pairsIn(html).map(([, colour]) => colour);
    assert.equal(colours[0], colours[2]);
    assert.equal(colours[1], colours[3]);
    assert.notEqual(colours[0], colours[1]);
  });

  test("the id of a call is only in its tooltip", () => {
    const html = shown(traceOfEntries(calls("call_a"), results("call_a")));
    assert.include(html, 'title="call_a"');
    assert.notMatch(readOf(html), /(?<!tool_)call_a/);
  });

  test("of two calls with the same id the newer one gets the result", () => {
    const html = shown(traceOfEntries(calls("a"), results("a"), calls("a"), results("a")));
    assert.deepEqual(
      pairsIn(html).map(([number]) => number),
      ["1", "1", "2", "2"],
    );
  });

  test("a call without a result and a result without a call are marked", () => {
    assert.include(readOf(shown(traceOfEntries(calls("a")))), "no result yet");
    const html = shown(traceOfEntries(results("x")));
    assert.include(readOf(html), "no matching call");
    assert.deepEqual(pairsIn(html), [["?", "none"]]);
  });

  test("every result of a recorded task has its call", () => {
    for (const name of RECORDED) assert.notInclude(readOf(shown(recorded(name))), "no matching call");
  });
});

describe("the part that an event added", () => {
  test("is marked: a whole entry, or the new blocks of an entry", () => {
    const trace = traceOf([
      commit(1, { conversation: [{ type: "entry.appended", entry: said("one") }] }),
      commit(2, { conversation: [{ type: "entry.extended", content: said("two").content }] }),
      commit(3, {
        conversation: [
          { type: "entry.appended", entry: calls("a") },
          { type: "entry.extended", content: calls("b").content },
        ],
      }),
      commit(4),
      commit(5, {
        conversation: [
          { type: "entry.extended", content: calls("c").content },
          { type: "entry.appended", entry: said("three") },
          { type: "entry.appended", entry: calls("d") },
        ],
      }),
    ]);
    assert.deepEqual(blocksOf(shown(trace, 1)), [true]);
    assert.deepEqual(blocksOf(shown(trace, 2)), [false, true]);
    assert.deepEqual(blocksOf(shown(trace, 3)), [false, false, true, true]);
    assert.deepEqual(blocksOf(shown(trace, 4)), [false, false, false, false]);
    assert.deepEqual(blocksOf(shown(trace, 5)), [false, false, false, false, true, true, true]);
  });
});

describe("a condensed conversation", () => {
  const turns = [said("one"), calls("a"), results("a"), calls("b"), results("b")];
  const appendedTurns = commit(1, {
    conversation: turns.map((entry) => ({ type: "entry.appended", entry })),
  });
  const replaced = { type: "entries.replaced", count: 3, by: [said("the summary")] } as const;

  test("is shown as it is sent, with the summary marked, and before it as it was (COMPACT)", () => {
    const trace = traceOf([appendedTurns, commit(2, { conversation: [replaced] }), commit(3)]);
    assert.notInclude(readOf(shown(trace, 1)), "the summary");
    assert.lengthOf(blocksOf(shown(trace, 1)), 5);
    const html = shown(trace, 2);
    assert.include(readOf(html), "the summary");
    assert.notInclude(readOf(html), "tool_a");
    assert.deepEqual(blocksOf(html), [true, false, false]);
    assert.deepEqual(
      pairsIn(html).map(([number]) => number),
      ["1", "1"],
    );
    assert.deepEqual(blocksOf(shown(trace, 3)), [false, false, false]);
  });

  test("has what the same event added before and after it marked", () => {
    const trace = traceOf([
      appendedTurns,
      commit(2, {
        conversation: [
          { type: "entry.extended", content: said("before").content },
          replaced,
          { type: "entry.appended", entry: calls("c") },
        ],
      }),
    ]);
    assert.deepEqual(blocksOf(shown(trace)), [true, false, false, true, true]);
  });
});

test("a conversation of 20,000 entries renders a bounded number of cards", () => {
  const entries = Array.from({ length: 20_000 }, (_, i) =>
    i % 2 === 0 ? calls(`c${i}`) : results(`c${i - 1}`),
  );
  const trace = traceOf([
    commit(1, { conversation: entries.map((entry) => ({ type: "entry.appended", entry })) }),
  ]);
  const html = shown(trace);
  assert.equal(
    tagsOf(html).filter(({ attributes }) => attributes.get("class")?.startsWith("conversation-entry")).length,
    CONVERSATION_MAX_ENTRIES,
  );
  assert.isBelow(tagsOf(html).length, CONVERSATION_MAX_ENTRIES * 40);
});

test("hostile content of any block is shown as text", () => {
  for (const word of HOSTILE) {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: word } } as const;
    const content: Entry["content"] = [
      { type: "text", text: word },
      { type: "thinking", thinking: word, signature: word },
      { type: "redacted_thinking", data: word },
      { type: "tool_use", id: word, name: word, input: { [word]: word, deep: [[{ [word]: word }]] } },
    ];
    const answer: Entry = {
      role: "user",
      content: [
        { type: "text", text: word },
        image,
        {
          type: "tool_result",
          tool_use_id: word,
          is_error: true,
          content: [{ type: "text", text: word }, image],
        },
      ],
    };
    assertHarmless(shown(traceOfEntries({ role: "assistant", content }, answer)));
  }
});
