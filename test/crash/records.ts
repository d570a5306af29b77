import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";

/**
 * Schemas of journal records, independent of the tested reader: complete lines of JSON, in order. The last line may be
 * incomplete.
 */
const eventSchema = z.looseObject({
  type: z.string(),
  ts: z.number().optional(),
  message: z.looseObject({ ts: z.number(), type: z.string() }).optional(),
  patch: z.looseObject({}).optional(),
});

const blockSchema = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: z.string().optional(),
});

const recordSchema = z.looseObject({
  seq: z.number(),
  kind: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
  callId: z.string().optional(),
  log: z.array(eventSchema).default([]),
  conversation: z
    .array(
      z.looseObject({
        type: z.string(),
        entry: z.looseObject({ role: z.string(), content: z.array(blockSchema) }).optional(),
        content: z.array(blockSchema).optional(),
      }),
    )
    .default([]),
  effects: z.array(z.object({ type: z.string(), effect: z.string(), id: z.string() })).default([]),
  facts: z.unknown().optional(),
  queue: z.unknown().optional(),
  calls: z.array(z.looseObject({ callId: z.string(), phase: z.string() })).default([]),
});

export type PlainRecord = z.output<typeof recordSchema>;
export type PlainEvent = z.output<typeof eventSchema>;
export type PlainBlock = z.output<typeof blockSchema>;

/** The complete lines of a journal. */
export function wholeLines(journal: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; ; ) {
    const to = journal.indexOf(0x0a, from);
    if (to < 0) return lines;
    lines.push(journal.subarray(from, to));
    from = to + 1;
  }
}

export const recordsOf = (journal: Buffer): readonly PlainRecord[] =>
  wholeLines(journal).map((line) => recordSchema.parse(JSON.parse(line.toString("utf8"))));

/** The bytes of the journal in a folder; empty without a file. */
export async function journalIn(folder: string): Promise<Buffer> {
  return readFile(path.join(folder, "journal.jsonl")).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return Buffer.alloc(0);
    throw error;
  });
}
