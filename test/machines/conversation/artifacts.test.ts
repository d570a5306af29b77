import { describe, expect, it } from "vitest";
import { artifactIn, withStubs } from "../../../machines/conversation/artifacts.ts";
import type { Conversation } from "../../../machines/conversation/conversation.ts";
import type { Entry, ImageBlock, ToolResultBlock, UserBlock } from "../../../machines/conversation/entry.ts";
import { validateConversation } from "../../../machines/conversation/validate.ts";
import { PersistentList } from "../../../machines/list/list.ts";
import { test } from "../../support/prop.ts";
import { validHistory } from "./arbitraries.ts";

const LONG = `first line\nsecond line ${"x".repeat(1_000)}`;
const LIMITS = { artifactChars: 500, artifactTurns: 1 };
const IMAGE: ImageBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
};

const prompt: Entry = { role: "user", content: [{ type: "text", text: "go" }] };
const calling = (id: string, name = "read_file", input = {}): Entry => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name, input }],
});
const result = (id: string, text = LONG, more: Partial<ToolResultBlock> = {}): Entry => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text }], ...more }],
});
/** A task that reads a file with each response. */
const reading = (turns: number): Conversation =>
  PersistentList.from([
    prompt,
    ...Array.from({ length: turns }, (_, turn) => [calling(`t${turn}`), result(`t${turn}`)]).flat(),
  ]);

/** The text of a result in the content of an entry. */
const textOf = (entry: Entry | undefined): string => {
  const block = (entry?.content as readonly UserBlock[] | undefined)?.find(
    ({ type }) => type === "tool_result",
  );
  return block?.type === "tool_result" && block.content[0]?.type === "text" ? block.content[0].text : "";
};
const stubAfter = (call: Entry, answer: Entry): string =>
  textOf(withStubs(PersistentList.from([prompt, call, answer, calling("new"), result("new")]), LIMITS).at(2));

describe("a conversation with stubs in place of old tool results", () => {
  it("has the stubs of its limits, also when the same conversation had others before", () => {
    const conversation = reading(40);
    for (const [turns, stubs] of [
      [30, 10],
      [2, 38],
      [39, 1],
      [2, 38],
    ] as const) {
      const sent = withStubs(conversation, { ...LIMITS, artifactTurns: turns }).toArray();
      expect(sent.flatMap((entry, at) => (entry === conversation.at(at) ? [] : [at]))).toEqual(
        Array.from({ length: stubs }, (_, turn) => 2 * turn + 2),
      );
    }
    const whole = withStubs(conversation, { ...LIMITS, artifactChars: LONG.length });
    expect(whole.toArray()).toEqual(conversation.toArray());
  });

  it("names the tool of each of several results, and no tool where the call is unknown", () => {
    const calls: Entry = {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "a", name: "read_file", input: {} },
        { type: "tool_use", id: "b", name: "search_files", input: {} },
      ],
    };
    const results: Entry = {
      role: "user",
      content: ["a", "b", "c"].map((id) => ({
        type: "tool_result",
        tool_use_id: id,
        content: [{ type: "text", text: LONG }],
      })),
    };
    const sent = withStubs(
      PersistentList.from([prompt, calls, results, calling("new"), result("new")]),
      LIMITS,
    );
    const texts = JSON.stringify(sent.at(2)).match(/result of (\w+ ?\w*) is left out/g);
    expect(texts).toEqual(
      ["read_file", "search_files", "a tool"].map((name) => `result of ${name} is left out`),
    );
  });

  it("is the same object where the limit is 0, or no result is long and old", () => {
    const conversation = reading(9);
    expect(withStubs(conversation, { ...LIMITS, artifactChars: 0 })).toBe(conversation);
    expect(withStubs(conversation, { ...LIMITS, artifactChars: LONG.length })).toBe(conversation);
    expect(withStubs(conversation, { ...LIMITS, artifactTurns: 9 })).toBe(conversation);
  });

  it.each([
    [1, 8],
    [3, 6],
    [0, 8],
  ])(
    "has the results of the newest %i responses whole, and at least of the last: %i stubs",
    (turns, stubs) => {
      const conversation = reading(9);
      const sent = withStubs(conversation, { ...LIMITS, artifactTurns: turns }).toArray();
      const changed = sent.map((entry, at) => entry !== conversation.at(at));
      expect(changed.lastIndexOf(true)).toBe(2 * stubs);
      expect(changed.filter(Boolean)).toHaveLength(stubs);
    },
  );

  it("names the tool, the size, the id and read_artifact, and begins as the result does", () => {
    expect(stubAfter(calling("t1"), result("t1"))).toBe(
      `[automatic notice] The old result of read_file is left out here: ${LONG.length} characters. If you need ` +
        'it again, call read_artifact with the id "t1". It begins with:\nfirst line',
    );
  });

  it("counts the images that are left out", () => {
    const content = [{ type: "text" as const, text: LONG }, IMAGE, IMAGE];
    expect(stubAfter(calling("t1"), result("t1", LONG, { content }))).toContain(
      `${LONG.length} characters and 2 images.`,
    );
  });

  it("names the original where the result is of read_artifact", () => {
    expect(stubAfter(calling("t2", "read_artifact", { id: "t1" }), result("t2"))).toContain(
      'with the id "t1".',
    );
    expect(stubAfter(calling("t2", "read_artifact", {}), result("t2"))).toContain('with the id "t2".');
    expect(stubAfter(calling("t2", "other", { id: "t1" }), result("t2"))).toContain('with the id "t2".');
  });

  it("keeps what is an error, and the texts beside the result", () => {
    const note = { type: "text" as const, text: "note ".repeat(500) };
    const answer = result("t1", LONG, { is_error: true });
    const conversation = PersistentList.from([
      prompt,
      calling("t1"),
      { ...answer, content: [...answer.content, note] } as Entry,
      calling("t2"),
    ]);
    expect(withStubs(conversation, LIMITS).at(2)?.content).toMatchObject([{ is_error: true }, note]);
  });

  it("has no stub that is longer than the result, and no half of a character", () => {
    const small = { ...LIMITS, artifactChars: 1 };
    const short = PersistentList.from([prompt, calling("t1"), result("t1", "short result"), calling("t2")]);
    expect(withStubs(short, small)).toBe(short);
    const split = `${"x".repeat(199)}👋${"y".repeat(900)}`;
    expect(stubAfter(calling("t1"), result("t1", split)).isWellFormed()).toBe(true);
  });

  it("has the same objects in each request, so that an entry is formatted once", () => {
    const [before, after] = [reading(80), reading(80).append(calling("t80"))];
    const [one, two] = [before, before.append(calling("t80"))].map((each) => withStubs(each, LIMITS));
    expect(after.length).toBe(two?.length);
    for (let position = 0; position < before.length - 2; position += 1)
      expect(two?.at(position)).toBe(one?.at(position));
    expect([...(two?.leaves() ?? [])][0]).toBe([...(one?.leaves() ?? [])][0]);
  });

  it("names the call of the entry before it, where that is in another leaf or was replaced", () => {
    const conversation = reading(40);
    const renamed = conversation.set(31, calling("t15", "search_files"));
    expect(textOf(withStubs(conversation, LIMITS).at(32))).toContain("result of read_file");
    expect(textOf(withStubs(renamed, LIMITS).at(32))).toContain("result of search_files");
  });

  test.prop([validHistory])("is accepted by the API as the whole one is (L6)", (history) => {
    const conversation = PersistentList.from(history);
    const stubbed = withStubs(conversation, { artifactChars: 1, artifactTurns: 1 });
    expect(validateConversation(stubbed)).toEqual(validateConversation(conversation));
    expect(stubbed.length).toBe(conversation.length);
  });
});

describe("an artifact", () => {
  it("is the newest result of a call, with its texts and images", () => {
    const content = [{ type: "text" as const, text: "a" }, IMAGE, { type: "text" as const, text: "b" }];
    const conversation = PersistentList.from([
      prompt,
      calling("t1"),
      result("t1", "old"),
      calling("t1"),
      result("t1", "", { content }),
    ]);
    expect(artifactIn(conversation, "t1")).toEqual({ text: "a\nb", images: [IMAGE] });
  });

  it("is none for another id", () => {
    expect(artifactIn(reading(2), "t2")).toBeUndefined();
    expect(artifactIn(PersistentList.empty(), "t0")).toBeUndefined();
  });
});
