import { describe, expect, it } from "vitest";
import {
  monitorConversation,
  type RecordedBlock,
  type RecordedEntry,
} from "../../../verify/monitor/conversation.ts";

const go: RecordedEntry = { role: "user", content: "go" };
const user = (...content: RecordedBlock[]): RecordedEntry => ({ role: "user", content });
const model = (...content: RecordedBlock[]): RecordedEntry => ({ role: "assistant", content });
const text: RecordedBlock = { type: "text", text: "a" };
const use = (id: string): RecordedBlock => ({ type: "tool_use", id });

describe("a violation of a conversation (L6)", () => {
  it("names the block, or only the entry", () => {
    expect(monitorConversation([user(text, { type: "text" })])).toEqual([
      { law: "L6", at: 0, block: 1, expected: "no text is empty", came: expect.stringMatching(/./) },
    ]);
    expect(monitorConversation([go, go])).toEqual([
      { law: "L6", at: 1, expected: "roles alternate", came: expect.stringMatching(/./) },
    ]);
  });

  it("refers to a recorded entry, not to pending results", () => {
    const found = monitorConversation([go, model(use("a"), use("a"))]);
    expect(found.map(({ at, expected }) => `${at}: ${expected}`)).toEqual([
      "1: each tool call of a response has its own id",
    ]);
  });

  it("is not reported while calls of the last response are pending", () => {
    expect(monitorConversation([go, model(text, use("a"), use("b"))])).toEqual([]);
    expect(monitorConversation([go, model(text)])).toEqual([]);
  });

  it("is not reported for missing optional fields", () => {
    const thought: RecordedBlock = { type: "thinking", signature: "s" };
    expect(monitorConversation([go, model(thought, { type: "redacted_thinking", data: "x" }, text)])).toEqual(
      [],
    );
  });

  it("is reported for thinking without its signature", () => {
    for (const type of ["thinking", "redacted_thinking"])
      expect(monitorConversation([go, model({ type }, text)])).toMatchObject([
        { at: 1, block: 0, expected: "thinking has its signature" },
      ]);
  });

  it("is reported for a response that ends with thinking", () => {
    for (const thought of [
      { type: "redacted_thinking", data: "x" },
      { type: "thinking", thinking: "hm", signature: "s" },
    ])
      expect(monitorConversation([go, model(text, thought), go])).toMatchObject([
        { at: 1, expected: "a response does not end with thinking" },
      ]);
  });
});
