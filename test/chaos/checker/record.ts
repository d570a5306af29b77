import { z } from "zod";

// The parts of a journal's records that the rules need, as docs/internals/journal.md describes them.

const Call = z.object({
  callId: z.string(),
  toolUseId: z.string(),
  name: z.string(),
  phase: z.string(),
  ask: z.string(),
  row: z.number().optional(),
  outcome: z.object({ kind: z.string() }).optional(),
  /** The subtask of a call. */
  childId: z.string().optional(),
});
const Block = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
});
const Entry = z.object({
  type: z.string(),
  entry: z.object({ role: z.string(), content: z.array(Block) }).optional(),
  /** Further blocks of the last entry. */
  content: z.array(Block).optional(),
});
const Amended = z.looseObject({
  type: z.string(),
  ts: z.number().optional(),
  patch: z.looseObject({ closing: z.string().optional() }).optional(),
});

const Record = z.object({
  seq: z.number(),
  kind: z.string(),
  cause: z.looseObject({ type: z.string(), askId: z.number().optional() }).optional(),
  after: z.string().optional(),
  inbox: z.object({ position: z.number(), refused: z.string().optional() }).optional(),
  log: z.array(Amended).default([]),
  conversation: z.array(Entry).default([]),
  calls: z.array(Call).default([]),
  facts: z.looseObject({ result: z.string().optional() }).optional(),
  /** The messages that wait, where they changed. */
  queue: z.array(z.unknown()).optional(),
  /** The call that started a subtask, in its header. */
  parent: z.object({ taskId: z.string(), rootId: z.string(), callId: z.string() }).optional(),
});

/** A record with the parts that the rules need. */
export type CheckedRecord = z.output<typeof Record>;

export type ParsedLine =
  | { readonly ok: true; readonly record: CheckedRecord; readonly json: unknown }
  | { readonly ok: false; readonly reason: string };

export function parseLine(line: string): ParsedLine {
  try {
    const json: unknown = JSON.parse(line);
    return { ok: true, record: Record.parse(json), json };
  } catch (error) {
    return { ok: false, reason: String(error) };
  }
}

/**
 * The text of a value with sorted keys, without what only one of a journal and a stream has: the checksum of a line, the place of
 * a command in the inbox, and parts that are empty.
 */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (key === "crc" || key === "inbox" || part === false || (Array.isArray(part) && part.length === 0))
      return undefined;
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
