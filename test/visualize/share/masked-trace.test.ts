import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { maskedTrace } from "../../../visualize/share/masked-trace.ts";
import { oneFilePage } from "../../../visualize/share/one-file-page.ts";
import { type TraceEvent, TraceLog, traceOfJournal } from "../../../visualize/trace/index.ts";
import { maskSecrets } from "../../../visualize/trace/transcripts/mask-secrets.ts";
import { parseRecord } from "../../../wire/journal/parse-record.ts";
import type { JournalRecord } from "../../../wire/journal/record.ts";
import { appended, commit } from "../../page/panes/trace.ts";
import { NOTHING_VERIFIED } from "../../support/nothing-verified.ts";

/** A secret of each place, which a search of the file finds. */
const secretOf = (place: string): string => `sk-ant-${place}-${"x7".repeat(10)}`;
const at = (place: string): string => `before ${secretOf(place)} after`;
const say = (ts: number, text: string, say = "text") => appended({ ts, type: "say", say, text });

/** A record of each kind of place. */
const RECORDS: readonly unknown[] = [
  {
    ...{ seq: 0, kind: "header", version: 2, taskId: "t", createdAt: 0, title: at("title") },
    ...{ workspace: `/home/${secretOf("workspace")}`, systemPrompt: at("prompt") },
  },
  commit(1, {
    cause: { type: "task.start", at: 1, text: at("cause"), [secretOf("field")]: "x" },
    log: [
      say(1, at("message")),
      say(2, at("hook"), "hook"),
      say(3, at("error"), "error"),
      appended({
        ...{ ts: 4, type: "ask", ask: "tool", text: JSON.stringify({ tool: "x", content: at("ask") }) },
        ...{ reason: at("reason"), denial: { hook: at("denial") }, reasoning: at("reasoning") },
        ...{ contextCondense: { summary: at("summary") }, progressStatus: { text: at("progress") } },
      }),
      appended({ ts: 5, type: "ask", ask: "followup", text: JSON.stringify({ question: at("question") }) }),
      appended({
        ts: 6,
        type: "say",
        say: "error",
        text: "no",
        denial: { rule: `edit(${secretOf("rule")})` },
      }),
      { type: "message.amended", ts: 1, patch: { text: at("amended") } },
    ],
    conversation: [
      { type: "entry.appended", entry: { role: "user", content: [{ type: "text", text: at("entry") }] } },
      {
        type: "entry.appended",
        entry: {
          role: "assistant",
          content: [
            { type: "thinking", thinking: at("thinking"), signature: "s" },
            {
              type: "tool_use",
              id: "c",
              name: "x",
              input: { deep: [{ line: at("argument"), apiKey: "short1" }] },
            },
          ],
        },
      },
      {
        type: "entry.appended",
        entry: {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c", content: [{ type: "text", text: at("output") }] },
          ],
        },
      },
    ],
    decisions: [
      { callId: "c", digest: "d", input: { line: at("decided") }, by: { rule: at("decision") }, at: 1 },
    ],
    control: [
      {
        ...{ point: "call", callId: "c", author: "untrusted", digest: "d", verdict: "allow", scores: {} },
        ...{ rationales: { monitor: at("rationale") }, error: at("protocol") },
      },
    ],
    calls: [
      {
        ...{ callId: "c", toolUseId: "c", name: "x", ask: "tool", phase: "settled" },
        outcome: { kind: "failed", content: [{ type: "text", text: at("outcome") }] },
      },
    ],
    queue: [{ id: "q", text: at("queued"), images: [] }],
    facts: { result: at("result"), background: [{ callId: "c", command: at("command") }] },
  }),
  {
    ...{ seq: 2, kind: "effect.end", at: 2, callId: "c" },
    content: [{ type: "text", text: at("effect") }],
  },
];

const recordOf = (value: unknown): JournalRecord => {
  const parsed = parseRecord(value);
  if (!parsed.success) throw new Error(`${parsed.problem}: ${JSON.stringify(value)}`);
  return parsed.data;
};

/** The places whose secrets a text has. */
const secretsIn = (text: string): readonly string[] =>
  [...text.matchAll(/sk-ant-(\w+)-/g)].map(([, place = ""]) => place);

const places = secretsIn(JSON.stringify(RECORDS));
const trace = (): readonly TraceEvent[] => [...traceOfJournal(RECORDS.map(recordOf))];

describe("a masked trace", () => {
  test("has no secret of any place of its journal, and keeps what surrounds them", () => {
    const events = trace();
    const plain = JSON.stringify(events);
    expect(new Set(secretsIn(plain))).toEqual(new Set(places));
    const masked = maskedTrace(events);
    const text = JSON.stringify(masked.events);
    expect(secretsIn(text)).toEqual([]);
    expect(text).not.toContain("short1");
    expect(text.match(/before \[masked\] after/g)?.length).toBeGreaterThan(25);
    expect(masked.places).toBe(secretsIn(plain).length + 1);
  });

  test("has the events of the trace, with the same numbers, kinds and times", () => {
    const framesOf = (events: readonly TraceEvent[]) =>
      events.map(({ seq, from, because, record }) => [seq, from, because, record.seq, record.kind]);
    expect(framesOf(maskedTrace(trace()).events)).toEqual(framesOf(trace()));
  });

  test("is the trace itself where nothing is secret", () => {
    const plain = [
      ...traceOfJournal([
        recordOf({ ...Object(RECORDS[0]), title: "a", workspace: "/b", systemPrompt: "c" }),
      ]),
    ];
    expect(maskedTrace(plain)).toEqual({ events: plain, places: 0 });
  });

  property.prop([fc.array(fc.nat(60), { maxLength: 8 }), fc.boolean()])(
    "shows no part of a secret in a text that streams, and ends with the masked text",
    (cuts, amends) => {
      const whole = `The key is ${secretOf("streamed")} and it works.`;
      const ends = [...new Set([...cuts, 0])].toSorted((one, other) => one - other);
      const pieces = ends.map((start, index) => whole.slice(start, ends[index + 1] ?? whole.length));
      const header = recordOf({ seq: 0, kind: "header", version: 2, taskId: "t", createdAt: 0 });
      const growth = pieces.map((text, index) => {
        const soFar = pieces.slice(0, index + 1).join("");
        return commit(index + 2, {
          log: [
            amends
              ? { type: "message.amended", ts: 1, patch: { text: soFar, partial: index < pieces.length - 1 } }
              : { type: "message.grown", ts: 1, text },
          ],
        });
      });
      const start = commit(1, {
        log: [appended({ ts: 1, type: "say", say: "text", text: "", partial: true })],
      });
      const { events } = maskedTrace(traceOfJournal([header, start, ...growth]));
      const log = new TraceLog("t", events);
      const texts = events.map(({ seq }) => log.moment(seq).memory.log.at(0)?.text ?? "");
      for (const text of texts) expect("The key is [masked] and it works.").toContain(text);
      expect(texts.at(-1)).toBe(maskSecrets(whole));
    },
  );
});

test("a masked page has no secret in its trace and its other texts, and a page that is not masked has each", async () => {
  const built = { scripts: ["var signalbox"], style: "" };
  const counterexample = {
    law: "L8",
    title: "a law",
    what: at("what"),
    event: at("event"),
    seq: 1,
    test: at("test"),
  };
  const violation = { law: "L8", what: at("broken"), exploration: "races", trace: at("path") };
  const verification = { ...NOTHING_VERIFIED, violations: [violation] };
  const options = { title: at("heading"), notice: at("notice"), counterexample, verification };
  const full = await oneFilePage(trace(), built, options);
  const masked = await oneFilePage(trace(), built, { ...options, masksSecrets: true });
  expect(new Set(secretsIn(full.html))).toEqual(
    new Set([...places, "what", "event", "test", "heading", "notice", "broken", "path"]),
  );
  expect(full.maskedPlaces).toBe(0);
  expect(secretsIn(masked.html)).toEqual([]);
  expect(masked.html).toContain('"law":"L8"');
  expect(masked.maskedPlaces).toBeGreaterThan(25);
});
