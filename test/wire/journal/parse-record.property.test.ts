import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { CommitParts } from "../../../machines/task/commit.ts";
import { EFFECT_KINDS } from "../../../machines/task/effect-kinds.ts";
import { parseRecord } from "../../../wire/journal/parse-record.ts";
import { journalRecordSchema } from "../../../wire/journal/record.ts";
import { runs } from "../../support/campaigns.ts";

/** The text of a number that JSON can have and no schema accepts. */
const HUGE = "1e999";
const scalar = fc.oneof(fc.string(), fc.constant(HUGE), fc.integer(), fc.boolean());
const anything = fc.oneof(scalar, fc.constant(null), fc.constant([]), fc.constant({}), fc.jsonValue());
const message = fc.record(
  {
    ts: fc.integer(),
    type: fc.constantFrom("say", "ask"),
    say: fc.string(),
    ask: fc.string(),
    text: fc.string(),
    partial: fc.boolean(),
    callId: fc.string(),
    exitCode: fc.integer(),
  },
  { requiredKeys: ["ts", "type"] },
);
const patch = fc.record(
  { text: fc.string(), partial: fc.boolean(), isAnswered: fc.boolean(), closing: fc.constant("answered") },
  { requiredKeys: [] },
);
const event = fc.oneof(
  fc.record({ type: fc.constant("message.appended"), message }),
  fc.record({ type: fc.constant("message.grown"), ts: fc.integer(), text: fc.string() }),
  fc.record({ type: fc.constant("message.amended"), ts: fc.integer(), patch }),
);
const textBlock = fc.record({ type: fc.constant("text"), text: fc.string() });
const resultBlock = fc.record(
  {
    type: fc.constant("tool_result"),
    tool_use_id: fc.string(),
    content: fc.array(textBlock, { maxLength: 2 }),
    is_error: fc.boolean(),
  },
  { requiredKeys: ["type", "tool_use_id", "content"] },
);
const callBlock = fc.record({
  type: fc.constant("tool_use"),
  id: fc.string(),
  name: fc.string(),
  input: fc.dictionary(fc.string(), fc.jsonValue()),
});
const entryOf = (role: string, ...blocks: fc.Arbitrary<unknown>[]) =>
  fc.record({
    type: fc.constant("entry.appended"),
    entry: fc.record({
      role: fc.constant(role),
      content: fc.array(fc.oneof(textBlock, ...blocks), { maxLength: 2 }),
    }),
  });
const effect = fc.record(
  {
    type: fc.constantFrom("effect.started", "effect.stopped"),
    effect: fc.constantFrom(...EFFECT_KINDS),
    id: fc.string(),
    profile: fc.string(),
  },
  { requiredKeys: ["type", "effect", "id"] },
);
const decision = fc.record({
  callId: fc.string(),
  digest: fc.string(),
  by: fc.oneof(fc.record({ person: fc.constant(true) }), fc.record({ rule: fc.string() })),
  at: fc.integer(),
});
const control = fc.record({
  point: fc.constantFrom("response", "call", "result"),
  author: fc.constantFrom("untrusted", "trusted"),
  digest: fc.string(),
  verdict: fc.string(),
  scores: fc.dictionary(fc.string(), fc.integer()),
});
const call = fc.record({
  phase: fc.constant("asking"),
  callId: fc.string(),
  toolUseId: fc.string(),
  name: fc.string(),
  ask: fc.constant("tool"),
});
const queued = fc.record({
  id: fc.string(),
  text: fc.string(),
  images: fc.array(fc.string(), { maxLength: 1 }),
});
const report = fc.record({
  type: fc.constant("task.rested"),
  taskId: fc.string(),
  ask: fc.constant("resume_task"),
});
const listOf = (item: fc.Arbitrary<unknown>) => fc.array(item, { maxLength: 2 });
const parts = {
  log: fc.array(event, { maxLength: 3 }),
  conversation: listOf(fc.oneof(entryOf("user", resultBlock), entryOf("assistant", callBlock))),
  decisions: listOf(decision),
  control: listOf(control),
  queue: listOf(queued),
  turnEnded: fc.boolean(),
  calls: listOf(call),
  facts: fc.record({ mode: fc.string() }),
  effects: listOf(effect),
  reports: listOf(report),
} satisfies Readonly<Record<keyof CommitParts, fc.Arbitrary<unknown>>>;
const commit = fc.record(
  {
    crc: fc.string(),
    seq: fc.nat(),
    kind: fc.constant("commit"),
    at: fc.integer(),
    cause: fc.record({ type: fc.string(), at: fc.integer(), answer: fc.dictionary(fc.string(), scalar) }),
    before: fc.string(),
    after: fc.string(),
    ...parts,
  },
  { requiredKeys: ["seq", "kind", "at", "before", "after", "log"] },
);

/** A commit with one field replaced or added. */
const mutated = fc.tuple(commit, fc.nat(), anything, fc.boolean()).map(([value, position, other, adds]) => {
  const copy: unknown = JSON.parse(JSON.stringify(value));
  const fields: { readonly holder: Record<string, unknown>; readonly key: string }[] = [];
  collect(copy, fields);
  const field = fields[position % fields.length];
  if (field !== undefined) field.holder[adds ? `${field.key}x` : field.key] = other;
  return copy;
});

function collect(value: unknown, fields: { holder: Record<string, unknown>; key: string }[]): void {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    fields.push({ holder, key });
    collect(holder[key], fields);
  }
}

describe("parseRecord", () => {
  test.prop([fc.oneof(commit, mutated, anything)], { numRuns: runs(20_000, 4_000) })(
    "returns the same as the schema for any value",
    (generated) => {
      // As a line of a journal: without objects that have no prototype.
      const value: unknown = JSON.parse(JSON.stringify(generated), (_, field) =>
        field === HUGE ? Number.POSITIVE_INFINITY : field,
      );
      const schema = journalRecordSchema.safeParse(value);
      const parsed = parseRecord(value);
      expect(parsed.success).toBe(schema.success);
      if (parsed.success) expect(parsed.data).toEqual(schema.data);
    },
  );
});
