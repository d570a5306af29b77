import { z } from "zod";
import { decodeLine } from "../journal/index.ts";

/** What the end of a journal tells. */
export interface JournalEnd {
  /** The last good record, and when it was made: milliseconds since 1970. */
  readonly last?: { readonly seq: number; readonly at: number };
  /** The state after the last commit, as a dotted path. */
  readonly state?: string;
  /** What the last row asks. */
  readonly ask?: string;
  /** US dollars, of the whole task. */
  readonly cost?: number;
  /** What stands behind the last good record. */
  readonly problem?: { readonly kind: "torn" | "damaged"; readonly reason: string };
}

/** Whether nothing that stands further up could tell more. */
export const isEnough = ({ last, state, cost }: JournalEnd): boolean =>
  last !== undefined && state !== undefined && cost !== undefined;

const NEWLINE = 0x0a;

/**
 * Reads the end of a journal backwards, from its last bytes, until it knows enough. What it tells before it does is of
 * use only where these are all bytes of the journal: else their first line is a part of one.
 */
export function parseEnd(piece: Buffer): JournalEnd {
  let end: JournalEnd = {};
  let expected: number | undefined;
  let to = piece.length;
  if (to > 0 && piece[to - 1] !== NEWLINE) {
    const newline = piece.lastIndexOf(NEWLINE);
    end = { problem: { kind: "torn", reason: "its last line has no end" } };
    to = newline + 1;
  }
  while (to > 0 && !isEnough(end)) {
    const from = to < 2 ? 0 : piece.lastIndexOf(NEWLINE, to - 2) + 1;
    const line = piece.subarray(from, to - 1);
    to = from;
    const found = recordIn(line, end, expected);
    if (found === "header") break;
    if (found.record === undefined) {
      // What stands behind a bad line is not used, and what was learnt from it is forgotten.
      const kind = end.last === undefined ? (end.problem?.kind ?? "torn") : "damaged";
      end = { problem: { kind, reason: end.problem?.reason ?? found.reason } };
      expected = undefined;
      continue;
    }
    expected = found.record.seq - 1;
    end = withRecord(end, found.record);
  }
  return end;
}

const tailSchema = z.object({
  seq: z.number(),
  kind: z.enum(["header", "commit", "effect.end"]),
  at: z.number().optional(),
  after: z.string().optional(),
  facts: z.object({ total: z.object({ cost: z.number() }).optional() }).optional(),
  log: z
    .array(z.looseObject({ message: z.unknown().optional(), messages: z.unknown().optional() }))
    .optional(),
});
type TailRecord = z.output<typeof tailSchema>;

const FACTS = Buffer.from('"facts":');

type Found =
  | "header"
  | { readonly record: TailRecord }
  | { readonly record?: undefined; readonly reason: string };

function recordIn(line: Buffer, end: JournalEnd, expected: number | undefined): Found {
  // Further up only the cost is looked for.
  if (expected !== undefined && expected > 0 && end.state !== undefined && !line.includes(FACTS))
    return { record: { seq: expected, kind: "effect.end" } };
  const decoded = decodeLine(line);
  if (!decoded.whole) return { reason: decoded.reason };
  const parsed = tailSchema.safeParse(decoded.json);
  if (!parsed.success) return { reason: "it is whole but no record that this version knows" };
  const { seq, kind } = parsed.data;
  if (kind === "header") return "header";
  if (expected !== undefined && seq !== expected)
    return { reason: `expected record ${expected}, found record ${seq}` };
  return { record: parsed.data };
}

function withRecord(end: JournalEnd, { seq, at, kind, after, facts, log }: TailRecord): JournalEnd {
  const isNewest = end.state === undefined && kind === "commit" && after !== undefined;
  const ask = isNewest ? lastAskIn(log) : undefined;
  const cost = facts?.total?.cost;
  return {
    ...end,
    ...(end.last === undefined && at !== undefined && { last: { seq, at } }),
    ...(isNewest && { state: after }),
    ...(ask !== undefined && { ask }),
    ...(end.cost === undefined && cost !== undefined && { cost }),
  };
}

const rowSchema = z.object({ ask: z.string() });
const rowsSchema = z.array(z.unknown());

function lastAskIn(log: TailRecord["log"]): string | undefined {
  const change = log?.at(-1);
  const row = rowsSchema.safeParse(change?.messages).data?.at(-1) ?? change?.message;
  return rowSchema.safeParse(row).data?.ask;
}
