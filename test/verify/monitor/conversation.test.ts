import { describe, expect, it } from "vitest";
import {
  monitorConversation,
  type RecordedBlock,
  type RecordedEntry,
} from "../../../verify/monitor/index.ts";

const go: RecordedEntry = { role: "user", content: "go" };
const user = (...content: RecordedBlock[]): RecordedEntry => ({ role: "user", content });
const model = (...content: RecordedBlock[]): RecordedEntry => ({ role: "assistant", content });
const text: RecordedBlock = { type: "text", text: "a" };
const use = (id: string): RecordedBlock => ({ type: "tool_use", id });

describe("a violation of a conversation (L6)", () => {
  it("names the block that shows it, and none where the entry does", () => {
    expect(monitorConversation([user(text, { type: "text" })])).toEqual([
      { law: "L6", at: 0, block: 1, expected: "no text is empty", came: expect.stringMatching(/./) },
    ]);
    expect(monitorConversation([go, go])).toEqual([
      { law: "L6", at: 1, expected: "roles alternate", came: expect.stringMatching(/./) },
    ]);
  });

  it("is of an entry that was recorded, and not of results that calls still wait for", () => {
    const found = monitorConversation([go, model(use("a"), use("a"))]);
    expect(found.map(({ at, expected }) => `${at}: ${expected}`)).toEqual([
      "1: each tool call of a response has its own id",
    ]);
  });

  it("is none while calls of the last answer wait, whatever it said beside them", () => {
    expect(monitorConversation([go, model(text, use("a"), use("b"))])).toEqual([]);
    expect(monitorConversation([go, model(text)])).toEqual([]);
  });

  it("is none of blocks that lack what nobody needs", () => {
    const thought: RecordedBlock = { type: "thinking", signature: "s" };
    expect(monitorConversation([go, model(thought, { type: "redacted_thinking", data: "x" }, text)])).toEqual(
      [],
    );
  });

  it("is thinking that lacks what it goes back with", () => {
    for (const type of ["thinking", "redacted_thinking"])
      expect(monitorConversation([go, model({ type }, text)])).toMatchObject([
        { at: 1, block: 0, expected: "thinking has its signature" },
      ]);
  });

  it("is an answer that ends with thinking, in words or not", () => {
    for (const thought of [
      { type: "redacted_thinking", data: "x" },
      { type: "thinking", thinking: "hm", signature: "s" },
    ])
      expect(monitorConversation([go, model(text, thought), go])).toMatchObject([
        { at: 1, expected: "a response does not end with thinking" },
      ]);
  });
});
