import { z } from "zod";
import { detectAgentState } from "../../machines/message/index.ts";
import type { PlainEvent, PlainRecord } from "./records.ts";

const rowSchema = z.looseObject({
  ts: z.number(),
  type: z.enum(["ask", "say"]),
  ask: z.string().optional(),
  say: z.string().optional(),
  text: z.string().nullish(),
  partial: z.boolean().optional(),
  closing: z.string().optional(),
  callId: z.string().optional(),
});
export type PlainRow = z.output<typeof rowSchema>;

export interface Folded {
  readonly rows: readonly PlainRow[];
  /** The machine's state after the last commit. */
  readonly state: string;
  /** Laws that a record broke. */
  readonly broken: readonly string[];
}

/**
 * Folds the records of a journal to rows and holds each commit against the laws, with rules of its own: what may be
 * amended, what is open, what is last (L1, L3, L4, L5, L8). Of the code that is tested it takes `detectAgentState`
 * alone, which the machine never asks.
 */
export function fold(records: readonly PlainRecord[]): Folded {
  const rows: PlainRow[] = [];
  const broken: string[] = [];
  let state = "no_task";
  for (const record of records) {
    if (record.kind !== "commit") continue;
    const say = (what: string): number => broken.push(`${what}, in record ${record.seq}`);
    for (const event of record.log) apply(rows, event, say);
    state = record.after ?? state;
    settled(rows, state, say);
  }
  return { rows, state, broken };
}

type Say = (what: string) => void;

function apply(rows: PlainRow[], event: PlainEvent, say: Say): void {
  const last = rows.at(-1);
  if (event.type === "message.appended") {
    const row = rowSchema.parse(event.message);
    if (last !== undefined && row.ts <= last.ts) say(`L5: row ${row.ts} came after row ${last.ts}`);
    if (last !== undefined && isOpenAsk(last)) say(`L8: a row came behind the open ask ${last.ask}`);
    if (last?.partial === true) say("L3: a row came behind a partial one");
    rows.push(row);
    return;
  }
  const at = rows.findIndex(({ ts }) => ts === event.ts);
  const row = rows[at];
  if (event.type !== "message.amended" || row === undefined) {
    say(`L2: there was a ${event.type} of row ${event.ts}`);
    return;
  }
  const keys = Object.keys(event.patch ?? {});
  if (keys.some((key) => ["ts", "type", "ask", "say"].includes(key)))
    say(`L5: row ${row.ts} changed its kind`);
  if (!mayChange(row, at === rows.length - 1, keys)) say(`L5: ${nameOf(row)} changed its ${keys.join()}`);
  rows[at] = rowSchema.parse({ ...row, ...event.patch });
}

function mayChange(row: PlainRow, isLast: boolean, keys: readonly string[]): boolean {
  if (isLast && row.partial === true) return true;
  if (isOpenRequest(row)) return keys.join() === "text";
  if (!isOpenAsk(row)) return false;
  return row.ask === "command_output" ? isLast : keys.every((key) => MARKS.has(key));
}
const MARKS = new Set(["closing", "isAnswered"]);

function settled(rows: readonly PlainRow[], path: string, say: Say): void {
  const [state = ""] = path.split(".");
  const meant = detectAgentState(rows.map(plain)).state;
  if (meant !== state) say(`L1: the machine is ${state}, the rows mean ${meant}`);
  const partial = rows.filter((row) => row.partial === true);
  if (partial.length > 1 || (partial.length === 1 && (rows.at(-1) !== partial[0] || state !== "streaming")))
    say(`L3: ${partial.length} rows are partial while ${path}`);
  const requests = rows.filter(({ say: kind }) => kind === "api_req_started");
  const open = requests.filter(isOpenRequest);
  if (open.length !== (state === "streaming" ? 1 : 0))
    say(`L4: ${open.length} requests are open while ${path}`);
  if (open.length === 1 && open[0] !== requests.at(-1)) say("L4: the open request is not the newest");
  const asks = rows.filter(isOpenAsk);
  if (asks.length > 1 || (asks.length === 1 && asks[0] !== rows.at(-1)))
    say(`L8: ${asks.length} asks are open, or one that is not last`);
}

/** Without the fields that are there and undefined. */
const plain = ({ ts, type, ask, say, text, partial }: PlainRow) => ({
  ts,
  type,
  ...(ask !== undefined && { ask }),
  ...(say !== undefined && { say }),
  ...(text != null && { text }),
  ...(partial !== undefined && { partial }),
});

export const isOpenAsk = ({ type, closing }: PlainRow): boolean => type === "ask" && closing === undefined;

const textSchema = z.looseObject({ cost: z.unknown().optional() });

/** An attempt whose row has no cost yet. */
export function isOpenRequest({ say, text }: PlainRow): boolean {
  return say === "api_req_started" && (!text || textSchema.parse(JSON.parse(text)).cost === undefined);
}

const nameOf = ({ ts, ask, say }: PlainRow): string => `${ask ?? say} ${ts}`;
