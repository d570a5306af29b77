import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { taskIdOf } from "../../../../visualize/trace/transcripts/json-fields.ts";
import { readTranscripts } from "../../../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../../../visualize/trace/transcripts/records.ts";
import { TASK_ID } from "../../../../wire/task-id.ts";
import { fixture, TEXT_FIXTURES } from "./fixtures.ts";

const LINE = { type: "user", sessionId: "s", timestamp: "2026-11-02T09:00:00Z", message: { content: "Go" } };

const read = (...lines: readonly string[]) =>
  readTranscripts([{ name: "s.jsonl", content: lines.join("\n") }]);

describe("a hostile file", () => {
  test("has no prototype: a key __proto__ is a field of a call like another", () => {
    const input = '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}';
    const call = `{"type":"assistant","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"__proto__","name":"constructor","input":${input}}]}}`;
    const { transcripts } = read(JSON.stringify(LINE), call);
    const records = transcripts.flatMap(recordsOfTranscript);
    expect(JSON.stringify(records)).toContain('"__proto__":{"polluted":true}');
    expect({}).not.toHaveProperty("polluted");
  });

  test("with a line of too many levels names the line, and the others are read", () => {
    const deep = `{"type":"user","sessionId":"s","message":${"[".repeat(5_000)}${"]".repeat(5_000)}}`;
    const { transcripts, problems } = read(JSON.stringify(LINE), deep);
    expect(problems).toEqual([expect.objectContaining({ where: "s.jsonl, line 2" })]);
    expect(transcripts[0]?.entries[0]).toMatchObject({ kind: "prompt", text: "Go" });
  });

  test("with bytes that are no UTF-8, and with NUL, is read with replacements", () => {
    const bytes = new TextEncoder().encode(JSON.stringify(LINE).replace("Go", "G\\u0000o?"));
    bytes[bytes.lastIndexOf(0x3f)] = 0xff;
    const { transcripts } = readTranscripts([{ name: "s.jsonl", content: bytes }]);
    expect(transcripts[0]?.entries[0]).toMatchObject({ text: "G\u0000o\uFFFD" });
  });

  test("with times that are no times keeps the order of its lines", () => {
    const lines = ["2026-99-99", -5, null, 1e300, {}].map((timestamp) =>
      JSON.stringify({ ...LINE, timestamp }),
    );
    const { transcripts } = read(...lines);
    const records = transcripts.flatMap(recordsOfTranscript);
    const times = records.flatMap((record) => (record.kind === "commit" ? [record.at] : []));
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  property.prop([fc.string({ unit: "binary" })])("has ids that are names of folders", (id) => {
    expect(taskIdOf(id)).toMatch(TASK_ID);
  });

  property.prop([fc.constantFrom(...TEXT_FIXTURES), fc.nat(), fc.string({ maxLength: 8 })])(
    "does not throw for a change anywhere in it",
    (name, place, text) => {
      const { content } = fixture(name);
      const at = place % content.length;
      const changed = `${content.slice(0, at)}${text}${content.slice(at + text.length)}`;
      const { transcripts } = readTranscripts([{ name, content: changed }]);
      expect(() => transcripts.map(recordsOfTranscript)).not.toThrow();
    },
  );

  property.prop([
    fc.uint8Array({ maxLength: 400 }),
    fc.constantFrom([], [0x50, 0x4b, 3, 4], [0x28, 0xb5, 0x2f, 0xfd]),
  ])("of any bytes does not throw", (bytes, magic) => {
    const content = new Uint8Array([...magic, ...bytes]);
    expect(() => readTranscripts([{ name: "x", content }])).not.toThrow();
  });

  property.prop([fc.json()])("of any JSON in a record of each format does not throw", (json) => {
    const lines = [
      `{"type":"user","sessionId":"s","message":${json}}`,
      `{"type":"assistant","sessionId":"s","message":{"id":"m","content":[${json}]}}`,
      `{"type":"response_item","payload":{"type":"function_call","call_id":"c","arguments":${json}}}`,
      `{"type":"message","message":{"role":"assistant","content":${json}}}`,
      `{"resourceSpans":[{"scopeSpans":[{"spans":[${json}]}]}]}`,
      `{"status":"x","eval":{},"samples":[{"events":[${json}],"messages":${json}}]}`,
      `[{"ts":1,"type":"say","say":"text"},${json}]`,
    ];
    for (const content of lines)
      expect(() =>
        readTranscripts([{ name: "x.json", content }], { masksSecrets: true }).transcripts.map(
          recordsOfTranscript,
        ),
      ).not.toThrow();
  });
});
