import { test } from "@fast-check/vitest";
import * as roo from "@roo-code/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationEventSchema, entrySchema } from "../../wire/entry.ts";
import { logEventSchema } from "../../wire/log-event.ts";
import { messageSchema } from "../../wire/message-schema.ts";
import { validHistory } from "../machines/conversation/arbitraries.ts";
import { foreignEvent, message } from "../machines/message/arbitraries.ts";

interface Schema {
  safeParse(value: unknown): {
    readonly error?: { readonly issues: readonly { path: PropertyKey[] }[] } | undefined;
  };
}

/** The place of the first fault of a value: `patch.closing`. */
const faultIn = (schema: Schema, json: string): string | undefined =>
  schema.safeParse(JSON.parse(json)).error?.issues[0]?.path.join(".");

/** A value as it is read from a file. */
const read = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("The wire form of messages", () => {
  test.prop([
    message(fc.nat()),
    fc.dictionary(
      fc.string().filter((key) => key !== "toJSON" && key !== "__proto__"),
      fc.jsonValue(),
    ),
  ])("keeps unknown kinds and fields", (known, unknown) => {
    const value = read({ ...unknown, ...known });
    expect(messageSchema.parse(value)).toEqual(value);
  });

  test.prop([foreignEvent()])("keeps changes of a log", (event) => {
    expect(logEventSchema.parse(read(event))).toEqual(event);
  });

  test.prop([message(fc.nat()).filter(({ text }) => text !== null)])(
    "is valid in Roo Code's own schema if all kinds are Roo Code's",
    (known) => {
      fc.pre(known.ask === undefined || roo.clineAsks.some((ask) => ask === known.ask));
      fc.pre(known.say === undefined || roo.clineSays.some((say) => say === known.say));
      expect(roo.clineMessageSchema.safeParse(read(known)).success).toBe(true);
    },
  );
});

describe("An invalid message", () => {
  it.each([
    ["7", ""],
    ["{}", "ts"],
    ['{"ts":"1","type":"say"}', "ts"],
    ['{"ts":1,"type":"shout"}', "type"],
    ['{"ts":1,"type":"say","images":["a",1]}', "images.1"],
    ['{"ts":1,"type":"say","progressStatus":{"icon":1}}', "progressStatus.icon"],
  ])("is rejected at its place: %s", (text, place) => {
    expect(faultIn(messageSchema, text)).toBe(place);
  });
});

describe("An invalid change of a log", () => {
  it.each([
    ['{"type":"message.moved"}', "type"],
    ['{"type":"log.truncated","length":-1}', "length"],
    ['{"type":"log.truncated","length":1.5}', "length"],
    ['{"type":"log.replaced","messages":[{"ts":1}]}', "messages.0.type"],
    ['{"type":"message.amended","ts":1,"patch":{"closing":"lost"}}', "patch.closing"],
  ])("is rejected: %s", (text, place) => {
    expect(faultIn(logEventSchema, text)).toBe(place);
  });

  it.each(["ts", "type", "ask", "say"])("is rejected if it amends %s (L5)", (field) => {
    const event = { type: "message.amended", ts: 1, patch: { [field]: "say" } };
    expect(faultIn(logEventSchema, JSON.stringify(event))).toBe(`patch.${field}`);
  });
});

describe("The wire form of conversations", () => {
  test.prop([validHistory])("keeps entries and changes unchanged (L6)", (history) => {
    for (const entry of history) {
      expect(entrySchema.parse(read({ ...entry, ts: 1 }))).toEqual({ ...entry, ts: 1 });
      const events = [
        { type: "entry.appended", entry },
        { type: "entry.extended", content: entry.content },
      ] as const;
      for (const event of events) expect(conversationEventSchema.parse(read(event))).toEqual(event);
    }
  });

  it("keeps unknown fields of a block", () => {
    const text =
      '{"role":"assistant","content":[{"type":"text","text":"a","citations":[]},{"caller":{"type":"direct"},"type":"tool_use","id":"1","name":"n","input":{}}]}';
    expect(entrySchema.parse(JSON.parse(text))).toEqual(JSON.parse(text));
  });

  it.each([
    ['{"role":"system","content":[]}', "role"],
    ['{"role":"user","content":[{"type":"tool_use","id":"1","name":"n","input":{}}]}', "content.0.type"],
    [
      '{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"n","input":[]}]}',
      "content.0.input",
    ],
    ['{"role":"assistant","content":[{"type":"thinking","thinking":"a"}]}', "content.0.signature"],
  ])("rejects an invalid entry: %s", (text, place) => {
    expect(faultIn(entrySchema, text)).toBe(place);
  });

  it("rejects an invalid change", () => {
    expect(faultIn(conversationEventSchema, '{"type":"entry.removed"}')).toBe("type");
  });
});
