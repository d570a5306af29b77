import { describe, expect, test } from "vitest";
import { maskSecrets } from "../../../../visualize/trace/transcripts/mask-secrets.ts";
import { readTranscripts } from "../../../../visualize/trace/transcripts/read-transcripts.ts";
import { fixture, TEXT_FIXTURES } from "./fixtures.ts";

const LONG = "aB3".repeat(12);

describe("a masked text", () => {
  test.each([
    [`export API_KEY=${LONG}`, "export API_KEY=[masked]"],
    [`{"password": "hunter2hunter2"}`, `{"password": "[masked]"}`],
    [`Authorization: Bearer ${LONG}`, /^Authorization: \[masked\]/],
    [`sk-ant-api03-${LONG}`, "[masked]"],
    [`ghp_${LONG}`, "[masked]"],
    ["AKIAABCDEFGHIJKLMNOP", "[masked]"],
    [`eyJ${LONG}.${LONG}.${LONG}`, "[masked]"],
    ["postgres://ann:pa55word@db/shop", "postgres://ann:[masked]@db/shop"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest", "[masked]\nrest"],
  ])("has no secret of %s", (text, masked) => {
    expect(maskSecrets(text)).toEqual(typeof masked === "string" ? masked : expect.stringMatching(masked));
  });

  test("keeps what is no secret", () => {
    const text = "The password field of src/token.ts:12 takes 3 tokens, see https://example.org/a:b@c.";
    expect(maskSecrets(text)).toBe(text);
  });

  test("masks a text of repeated prefixes", () => {
    const open = ["eyJ-", "password ", "-----BEGIN ", "://a:"].map((each) => each.repeat(40_000)).join(" ");
    const [rest, masked = ""] = maskSecrets(`${open} ${"sk-".repeat(40_000)}`).split(/ (?=\[)/);
    expect(rest).toBe(open);
    expect(masked).toMatch(/^(?:\[masked\]-?)+$/);
  });
});

test.each(TEXT_FIXTURES)("%s, masked, has the same entries in the same order", (name) => {
  const plain = readTranscripts([fixture(name)]).transcripts;
  const masked = readTranscripts([fixture(name)], { masksSecrets: true }).transcripts;
  const kinds = (transcripts: typeof plain) =>
    transcripts.map(({ entries }) => entries.map(({ kind, at }) => [kind, at]));
  expect(kinds(masked)).toEqual(kinds(plain));
});

test("the arguments of a call are masked by their names", () => {
  const input = { nested: [{ apiKey: "short", path: "a.ts" }] };
  const line = {
    type: "assistant",
    sessionId: "s",
    message: { id: "m", content: [{ type: "tool_use", id: "c", name: "Deploy", input }] },
  };
  const { transcripts } = readTranscripts([{ name: "s.jsonl", content: JSON.stringify(line) }], {
    masksSecrets: true,
  });
  expect(JSON.stringify(transcripts[0]?.entries)).toContain('"nested":[{"apiKey":"[masked]","path":"a.ts"}]');
});

test("a message of Roo Code is masked in its text, its reasoning and its summary", () => {
  const secret = `sk-ant-${LONG}`;
  const contextCondense = { summary: secret, cost: 1 };
  const message = { ts: 1, type: "say", say: "text", text: secret, reasoning: secret, contextCondense };
  const file = { name: "ui_messages.json", content: JSON.stringify([message]) };
  expect(readTranscripts([file], { masksSecrets: true }).transcripts[0]?.entries).toMatchObject([
    {
      message: { text: "[masked]", reasoning: "[masked]", contextCondense: { summary: "[masked]", cost: 1 } },
    },
  ]);
});
