import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { journalRecordSchema, parseRecord } from "../../../wire/index.ts";
import { runs } from "../../support/campaigns.ts";

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const anything = fc.oneof(scalar, fc.constant(null), fc.constant([]), fc.constant({}), fc.jsonValue());
const row = fc.record(
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
  fc.record({ type: fc.constant("message.appended"), message: row }),
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

/** The same value with something else somewhere in it. */
const bent = fc.tuple(commit, fc.nat(), anything, fc.boolean()).map(([value, where, other, adds]) => {
  const copy: unknown = JSON.parse(JSON.stringify(value));
  const places: { readonly holder: Record<string, unknown>; readonly key: string }[] = [];
  collect(copy, places);
  const place = places[where % places.length];
  if (place !== undefined) place.holder[adds ? `${place.key}x` : place.key] = other;
  return copy;
});

function collect(value: unknown, places: { holder: Record<string, unknown>; key: string }[]): void {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    places.push({ holder, key });
    collect(holder[key], places);
  }
}

describe("the quick way to read a commit", () => {
  test.prop([fc.oneof(commit, bent, anything)], { numRuns: runs(20_000, 4_000) })(
    "takes what the schema takes and gives what it gives, for any value",
    (value) => {
      const schema = journalRecordSchema.safeParse(value);
      const parsed = parseRecord(value);
      expect(parsed.success).toBe(schema.success);
      if (parsed.success) expect(parsed.data).toEqual(schema.data);
    },
  );
});
