import { test } from "@fast-check/vitest";
import * as roo from "@roo-code/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  conversationEventCodec,
  entryCodec,
  logEventCodec,
  messageCodec,
  messagesCodec,
  WireError,
} from "../../wire/index.ts";
import { validHistory } from "../machines/conversation/arbitraries.ts";
import { foreignEvent, message } from "../machines/message/arbitraries.ts";

const HERE = "line 3 of ui_messages.json";

/** What `run` throws. */
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
  ])(
    "is exact: what was written is read, with foreign kinds and unknown fields, in the same order",
    (row, unknown) => {
      const text = JSON.stringify({ ...unknown, ...row });
      const read = messageCodec.decode(text, HERE);
      expect(read).toEqual(JSON.parse(text));
      expect(messageCodec.encode(read)).toBe(text);
    },
  );

  test.prop([foreignEvent()])("is exact for changes of a log", (event) => {
    expect(logEventCodec.decode(logEventCodec.encode(event), HERE)).toEqual(event);
  });

  test.prop([fc.array(message(fc.nat()))])("is exact for whole logs", (rows) => {
    expect(messagesCodec.decode(messagesCodec.encode(rows), HERE)).toEqual(rows);
  });

  test.prop([message(fc.nat()).filter(({ text }) => text !== null)])(
    "is taken by the family's own schema where all kinds are the family's",
    (row) => {
      fc.pre(row.ask === undefined || roo.clineAsks.some((ask) => ask === row.ask));
      fc.pre(row.say === undefined || roo.clineSays.some((say) => say === row.say));
      expect(roo.clineMessageSchema.safeParse(JSON.parse(messageCodec.encode(row))).success).toBe(true);
    },
  );

  it("keeps a field named __proto__ a field", () => {
    const text = '{"ts":1,"type":"say","__proto__":{"ts":2}}';
    expect(messageCodec.encode(messageCodec.decode(text, HERE))).toBe(text);
  });

  it("hands on the value that it was given", () => {
    const row = { ts: 1, type: "say", more: { of: "it" } };
    expect(messageCodec.parse(row, HERE)).toBe(row);
  });
});

describe("A message that is none", () => {
  it.each([
    ["7", "INVALID_MESSAGE", ""],
    ["{}", "INVALID_MESSAGE", "ts"],
    ['{"ts":"1","type":"say"}', "INVALID_MESSAGE", "ts"],
    ['{"ts":1,"type":"shout"}', "INVALID_MESSAGE", "type"],
    ['{"ts":1,"type":"say","images":["a",1]}', "INVALID_MESSAGE", "images[1]"],
    ['{"ts":1,"type":"say","progressStatus":{"icon":1}}', "INVALID_MESSAGE", "progressStatus.icon"],
    ['{"ts":1,', "INVALID_JSON", ""],
    ["", "INVALID_JSON", ""],
  ])("is refused with code and place: %s", (text, code, path) => {
    const error = thrownBy(() => messageCodec.decode(text, HERE));
    expect(error).toBeInstanceOf(WireError);
    expect(error).toMatchObject({ code, place: HERE, path });
    expect(String(error)).toContain(path === "" ? `${HERE}: expected` : `${HERE}, at ${path}: expected`);
  });

  it("is shown in part only, however long it is (L14)", () => {
    const error = thrownBy(() => messageCodec.decode(JSON.stringify({ ts: "x".repeat(100_000) }), HERE));
    expect(String(error).length).toBeLessThan(400);
  });
});

describe("A change of a log that is none", () => {
  it.each([
    ['{"type":"message.moved"}', "type"],
    ['{"type":"log.truncated","length":-1}', "length"],
    ['{"type":"log.truncated","length":1.5}', "length"],
    ['{"type":"log.replaced","messages":[{"ts":1}]}', "messages[0].type"],
    ['{"type":"message.amended","ts":1,"patch":{"closing":"lost"}}', "patch.closing"],
  ])("is refused: %s", (text, path) => {
    expect(thrownBy(() => logEventCodec.decode(text, HERE))).toMatchObject({
      code: "INVALID_LOG_EVENT",
      path,
    });
  });

  it.each(["ts", "type", "ask", "say"])(
    "is refused where it amends %s: a row stays what it is (L5)",
    (field) => {
      const event = { type: "message.amended", ts: 1, patch: { [field]: "say" } };
      expect(thrownBy(() => logEventCodec.parse(event, HERE))).toMatchObject({ path: `patch.${field}` });
    },
  );
});

describe("The wire form of conversations", () => {
  test.prop([validHistory])("is exact: an entry goes back to its endpoint as it came (L6)", (history) => {
    for (const entry of history) {
      const text = JSON.stringify({ ...entry, ts: 1 });
      expect(entryCodec.encode(entryCodec.decode(text, HERE))).toBe(text);
      const events = [
        { type: "entry.appended", entry },
        { type: "entry.extended", content: entry.content },
      ] as const;
      for (const event of events) {
        expect(conversationEventCodec.decode(conversationEventCodec.encode(event), HERE)).toEqual(event);
      }
    }
  });

  it("keeps fields of a block that we don't know", () => {
    const text =
      '{"role":"assistant","content":[{"type":"text","text":"a","citations":[]},{"caller":{"type":"direct"},"type":"tool_use","id":"1","name":"n","input":{}}]}';
    expect(entryCodec.encode(entryCodec.decode(text, HERE))).toBe(text);
  });

  it.each([
    ['{"role":"system","content":[]}', "role"],
    ['{"role":"user","content":[{"type":"tool_use","id":"1","name":"n","input":{}}]}', "content[0].type"],
    [
      '{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":[]}]}',
      "content[0].input",
    ],
    ['{"role":"assistant","content":[{"type":"thinking","thinking":"a"}]}', "content[0].signature"],
  ])("is refused where it is none: %s", (text, path) => {
    expect(thrownBy(() => entryCodec.decode(text, HERE))).toMatchObject({ code: "INVALID_ENTRY", path });
  });

  it("names a change that is none", () => {
    expect(thrownBy(() => conversationEventCodec.decode('{"type":"entry.removed"}', HERE))).toMatchObject({
      code: "INVALID_CONVERSATION_EVENT",
      path: "type",
    });
  });
});
