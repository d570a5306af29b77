import { describe, expect, it } from "vitest";
import { textBlock } from "../../../machines/conversation/blocks.ts";
import { emptyConversation } from "../../../machines/conversation/conversation.ts";
import type { AssistantBlock, Entry, UserBlock } from "../../../machines/conversation/entry.ts";
import type { StopReason, TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import { pairing } from "../../../verify/laws/pairing.ts";
import { image, started } from "./commit-parts.ts";
import { fresh, stepOf } from "./step.ts";

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 };
const user = (...content: readonly UserBlock[]): Entry => ({ role: "user", content });
const assistant = (...content: readonly AssistantBlock[]): Entry => ({ role: "assistant", content });
const talk = (...entries: readonly Entry[]) =>
  entries.reduce((sofar, entry) => sofar.append(entry), emptyConversation);

const text = textBlock("Words.");
const call: AssistantBlock = { type: "tool_use", id: "u1", name: "read_file", input: {} };
const result: UserBlock = { type: "tool_result", tool_use_id: "u1", content: [text] };
const thinking: AssistantBlock = { type: "thinking", thinking: "Hm.", signature: "s" };
const redacted: AssistantBlock = { type: "redacted_thinking", data: "x" };

describe("a request is sent with a conversation that the model's API accepts (L6)", () => {
  /** The violation of a request with these entries, after a response with this stop reason. */
  function sent(entries: readonly Entry[], stopReason?: StopReason, id = "llm"): string | undefined {
    const turn = { ...fresh.turn, ...(stopReason !== undefined && { stopReason }) };
    return pairing.violation(
      stepOf({ before: { turn }, after: { conversation: talk(...entries) }, emitted: [started(id)] }),
    );
  }

  it.each<[string, readonly Entry[]]>([
    ["a user's text", [user(text)]],
    ["a call with its result", [user(text), assistant(call), user(result)]],
    ["a response and more text", [user(text), assistant(thinking, text), user(text)]],
  ])("of %s", (_, entries) => {
    expect(sent(entries)).toBeUndefined();
  });

  it.each<[string, readonly Entry[], RegExp]>([
    ["of nothing", [], /^no_entries: The conversation has no entries\.$/],
    ["of a call without a result", [user(text), assistant(call), user(text)], /^missing_result: .* u1 /],
    ["of a result without a call", [user(text), assistant(text), user(result)], /^orphan_result: .* u1 /],
    ["of two entries of one role", [user(text), user(text)], /^roles_not_alternating: /],
    ["of an entry without blocks", [user()], /^empty_entry: /],
  ])("and not with one %s", (_, entries, expected) => {
    expect(sent(entries)).toMatch(expected);
  });

  it("and all defects are reported", () => {
    expect(sent([assistant(text)])).toMatch(/^first_not_user: .*\. last_not_user: .*\.$/);
  });

  it("which ends with an assistant's entry only after a pause", () => {
    const paused = [user(text), assistant(text)];
    expect(sent(paused, "pause_turn")).toBeUndefined();
    expect(sent([user(text)], "pause_turn")).toBeUndefined();
    expect(sent(paused)).toMatch(/^last_not_user: /);
    expect(sent(paused, "end_turn")).toMatch(/^last_not_user: /);
  });

  it("and may be incomplete when it is not sent", () => {
    expect(sent([user(text), assistant(call)], undefined, "tool:c")).toBeUndefined();
    expect(sent([user(text), assistant(call)])).toMatch("missing_result");
  });
});

/** The two ways to add a response to a conversation: a new entry, or an extension of the last one. */
const BEFORE = {
  empty: emptyConversation,
  user: talk(user(text), assistant(text), user(text)),
  assistant: talk(user(text), assistant(text)),
};

interface Way {
  readonly before: keyof typeof BEFORE;
  readonly add: (content: readonly AssistantBlock[]) => TaskEmitted;
}
const PATHS: readonly [string, Way][] = [
  [
    "an entry",
    {
      before: "user",
      add: (content) => ({ type: "entry.appended", entry: { role: "assistant", content } }),
    },
  ],
  ["an extension", { before: "assistant", add: (content) => ({ type: "entry.extended", content }) }],
];

const finished = (content: readonly AssistantBlock[]): TaskEvent => ({
  ...{ type: "llm.finished", at: 9, requestId: 1, stopReason: "end_turn" },
  ...{ content, usage: USAGE },
});
const CANCEL: TaskEvent = { type: "task.cancel", origin: "user", at: 9 };
const CUTS: readonly TaskEvent[] = [
  {
    ...{ type: "llm.failed", at: 9, requestId: 1, usage: USAGE, jitter: 0 },
    failure: { code: "stream_cut", message: "cut", retryable: true },
  },
  CANCEL,
  { type: "journal.failed", at: 9, message: "full" },
];

const violationOf = (event: TaskEvent, before: keyof typeof BEFORE, ...emitted: readonly TaskEmitted[]) =>
  pairing.violation(stepOf({ event, before: { conversation: BEFORE[before] }, emitted }));

describe.each(PATHS)("the model's response, as %s (L6)", (_, { before, add }) => {
  const content = [thinking, redacted, text, call];

  it("is kept unchanged", () => {
    expect(violationOf(finished(content), before, add(content))).toBeUndefined();
    const nothing: readonly AssistantBlock[] = [];
    expect(violationOf(finished(nothing), before, add(nothing))).toBeUndefined();
  });

  it.each<[string, readonly AssistantBlock[]]>([
    ["without its thinking", [redacted, text, call]],
    ["with another text", [thinking, redacted, textBlock("Other words."), call]],
    ["as its text only", [text]],
    ["as nothing", []],
    ["as a copy", [...content]],
  ])("is not kept %s", (_how, kept) => {
    const wrong = "the response was changed in the conversation";
    expect(violationOf(finished(content), before, add(kept))).toBe(wrong);
    expect(violationOf(finished(content), before, add(content), add(kept))).toBe(wrong);
  });

  it.each(CUTS)("is kept as its text when cut by $type", (event) => {
    expect(violationOf(event, before, add([text]))).toBeUndefined();
    expect(violationOf(event, before, add([text, textBlock("More.")]))).toBeUndefined();
    expect(violationOf(event, before, add([]))).toBeUndefined();
  });

  it.each(CUTS)("is kept without thinking and calls when cut by $type", (event) => {
    const wrong = `after ${event.type} thinking or tool calls of a cut response were kept`;
    for (const block of [thinking, redacted, call]) {
      expect(violationOf(event, before, add([block]))).toBe(wrong);
      expect(violationOf(event, before, add([text, block]))).toBe(wrong);
      expect(violationOf(event, before, add([block, text]))).toBe(wrong);
      expect(violationOf(event, before, add([text]), add([block]))).toBe(wrong);
    }
  });
});

describe("a user's entry (L6)", () => {
  const content: readonly UserBlock[] = [result, text, image];

  it("is not a response, in either form", () => {
    const event = finished([text, call]);
    expect(
      violationOf(event, "user", { type: "entry.appended", entry: { role: "user", content } }),
    ).toBeUndefined();
    expect(violationOf(event, "user", { type: "entry.extended", content })).toBeUndefined();
    expect(violationOf(event, "empty", { type: "entry.extended", content })).toBeUndefined();
  });

  it("may follow a cut response that extends the last entry, in one macrostep", () => {
    const entry: TaskEmitted = { type: "entry.appended", entry: { role: "user", content } };
    const more: TaskEmitted = { type: "entry.extended", content };
    expect(
      violationOf(CANCEL, "assistant", { type: "entry.extended", content: [text] }, entry, more),
    ).toBeUndefined();
    expect(
      violationOf(CANCEL, "assistant", { type: "entry.extended", content: [text, call] }, entry),
    ).toMatch("were kept");
  });

  it("is recognized by the role of its entry, also of a new one", () => {
    const append = (entry: Entry): TaskEmitted => ({ type: "entry.appended", entry });
    const extend = (...more: readonly (UserBlock | AssistantBlock)[]): TaskEmitted => ({
      type: "entry.extended",
      content: more,
    });
    expect(violationOf(CANCEL, "user", append(assistant(text)), extend(text))).toBeUndefined();
    expect(violationOf(CANCEL, "user", append(assistant(text)), extend(call))).toMatch("were kept");
    expect(violationOf(CANCEL, "assistant", append(user(result)), extend(image))).toBeUndefined();
    expect(violationOf(CANCEL, "assistant", extend(image))).toMatch("were kept");
  });
});
