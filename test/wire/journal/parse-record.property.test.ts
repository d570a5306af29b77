import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { parseRecord } from "../../../wire/journal/parse-record.ts";
import { journalRecordSchema } from "../../../wire/journal/record.ts";
import { runs } from "../../support/campaigns.ts";

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
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
const event = fc.oneof(
  fc.record({ type: fc.constant("message.appended"), message }),
  fc.record({ type: fc.constant("message.grown"), ts: fc.integer(), text: fc.string() }),
);
const commit = fc.record(
  {
    crc: fc.string(),
    seq: fc.nat(),
    kind: fc.constant("commit"),
    at: fc.integer(),
    cause: fc.record({ type: fc.string(), at: fc.integer(), answer: fc.dictionary(fc.string(), scalar) }),
    before: fc.string(),
    after: fc.string(),
    log: fc.array(event, { maxLength: 3 }),
    queue: fc.constant([]),
    turnEnded: fc.boolean(),
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
    (value) => {
      const schema = journalRecordSchema.safeParse(value);
      const parsed = parseRecord(value);
      expect(parsed.success).toBe(schema.success);
      if (parsed.success) expect(parsed.data).toEqual(schema.data);
    },
  );
});
