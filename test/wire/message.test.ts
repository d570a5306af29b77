import { test } from "@fast-check/vitest";
import * as roo from "@roo-code/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationEventCodec, entryCodec } from "../../wire/entry.ts";
import { WireError } from "../../wire/index.ts";
import { logEventCodec, messageCodec, messagesCodec } from "../../wire/message.ts";
import { validHistory } from "../machines/conversation/arbitraries.ts";
import { foreignEvent, message } from "../machines/message/arbitraries.ts";

const SOURCE = "line 3 of ui_messages.json";

/** The error that `run` throws. */
function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe("The wire form of messages", () => {
  test.prop([
    message(fc.nat()),
    fc.dictionary(
      fc.string().filter((key) => key !== "toJSON"),
      fc.jsonValue(),
    ),
  ])("keeps unknown kinds and fields, and the order of fields", (known, unknown) => {
    const text = JSON.stringify({ ...unknown, ...known });
    const read = messageCodec.decode(text, SOURCE);
    expect(read).toEqual(JSON.parse(text));
    expect(messageCodec.encode(read)).toBe(text);
  });

  test.prop([foreignEvent()])("keeps changes of a log", (event) => {
    expect(logEventCodec.decode(logEventCodec.encode(event), SOURCE)).toEqual(event);
  });

  test.prop([fc.array(message(fc.nat()))])("keeps whole logs", (messages) => {
    expect(messagesCodec.decode(messagesCodec.encode(messages), SOURCE)).toEqual(messages);
  });

  test.prop([message(fc.nat()).filter(({ text }) => text !== null)])(
    "is valid in Roo Code's own schema if all kinds are Roo Code's",
    (known) => {
      fc.pre(known.ask === undefined || roo.clineAsks.some((ask) => ask === known.ask));
      fc.pre(known.say === undefined || roo.clineSays.some((say) => say === known.say));
      expect(roo.clineMessageSchema.safeParse(JSON.parse(messageCodec.encode(known))).success).toBe(true);
    },
  );

  it("keeps a field named __proto__", () => {
    const text = '{"ts":1,"type":"say","__proto__":{"ts":2}}';
    expect(messageCodec.encode(messageCodec.decode(text, SOURCE))).toBe(text);
  });

  it("returns the given value itself", () => {
    const value = { ts: 1, type: "say", more: { nested: true } };
    expect(messageCodec.parse(value, SOURCE)).toBe(value);
  });
});

describe("An invalid message", () => {
  it.each([
    ["7", "INVALID_MESSAGE", ""],
    ["{}", "INVALID_MESSAGE", "ts"],
    ['{"ts":"1","type":"say"}', "INVALID_MESSAGE", "ts"],
    ['{"ts":1,"type":"shout"}', "INVALID_MESSAGE", "type"],
    ['{"ts":1,"type":"say","images":["a",1]}', "INVALID_MESSAGE", "images[1]"],
    ['{"ts":1,"type":"say","progressStatus":{"icon":1}}', "INVALID_MESSAGE", "progressStatus.icon"],
    ['{"ts":1,', "INVALID_JSON", ""],
    ["", "INVALID_JSON", ""],
  ])("is rejected with code, source and path: %s", (text, code, path) => {
    const error = thrownBy(() => messageCodec.decode(text, SOURCE));
    expect(error).toBeInstanceOf(WireError);
    expect(error).toMatchObject({ code, source: SOURCE, path });
    expect(String(error)).toContain(path === "" ? `${SOURCE}: expected` : `${SOURCE}, at ${path}: expected`);
  });

  it("is shortened in the error (L14)", () => {
    const error = thrownBy(() => messageCodec.decode(JSON.stringify({ ts: "x".repeat(100_000) }), SOURCE));
    expect(String(error).length).toBeLessThan(400);
  });
});

describe("An invalid change of a log", () => {
  it.each([
    ['{"type":"message.moved"}', "type"],
    ['{"type":"log.truncated","length":-1}', "length"],
    ['{"type":"log.truncated","length":1.5}', "length"],
    ['{"type":"log.replaced","messages":[{"ts":1}]}', "messages[0].type"],
    ['{"type":"message.amended","ts":1,"patch":{"closing":"lost"}}', "patch.closing"],
  ])("is rejected: %s", (text, path) => {
    expect(thrownBy(() => logEventCodec.decode(text, SOURCE))).toMatchObject({
      code: "INVALID_LOG_EVENT",
      path,
    });
  });

  it.each(["ts", "type", "ask", "say"])("is rejected if it amends %s (L5)", (field) => {
    const event = { type: "message.amended", ts: 1, patch: { [field]: "say" } };
    expect(thrownBy(() => logEventCodec.parse(event, SOURCE))).toMatchObject({ path: `patch.${field}` });
  });
});

describe("The wire form of conversations", () => {
  test.prop([validHistory])("keeps entries and changes unchanged (L6)", (history) => {
    for (const entry of history) {
      const text = JSON.stringify({ ...entry, ts: 1 });
      expect(entryCodec.encode(entryCodec.decode(text, SOURCE))).toBe(text);
      const events = [
        { type: "entry.appended", entry },
        { type: "entry.extended", content: entry.content },
      ] as const;
      for (const event of events) {
        expect(conversationEventCodec.decode(conversationEventCodec.encode(event), SOURCE)).toEqual(event);
      }
    }
  });

  it("keeps unknown fields of a block", () => {
    const text =
      '{"role":"assistant","content":[{"type":"text","text":"a","citations":[]},{"caller":{"type":"direct"},"type":"tool_use","id":"1","name":"n","input":{}}]}';
    expect(entryCodec.encode(entryCodec.decode(text, SOURCE))).toBe(text);
  });

  it.each([
    ['{"role":"system","content":[]}', "role"],
    ['{"role":"user","content":[{"type":"tool_use","id":"1","name":"n","input":{}}]}', "content[0].type"],
    [
      '{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":[]}]}',
      "content[0].input",
    ],
    ['{"role":"assistant","content":[{"type":"thinking","thinking":"a"}]}', "content[0].signature"],
  ])("rejects an invalid entry: %s", (text, path) => {
    expect(thrownBy(() => entryCodec.decode(text, SOURCE))).toMatchObject({ code: "INVALID_ENTRY", path });
  });

  it("rejects an invalid change", () => {
    expect(thrownBy(() => conversationEventCodec.decode('{"type":"entry.removed"}', SOURCE))).toMatchObject({
      code: "INVALID_CONVERSATION_EVENT",
      path: "type",
    });
  });
});
