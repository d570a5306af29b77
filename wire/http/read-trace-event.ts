import type { z } from "zod";
import { parseRecord } from "../journal/parse-record.ts";
import type { CommitRecord, JournalRecord } from "../journal/record.ts";
import { traceEventSchema } from "./trace.ts";

/** A trace event without its record, which {@link parseRecord} parses faster. */
const frameSchema = traceEventSchema.omit({ record: true });

type Frame = z.output<typeof frameSchema>;
type Event = Frame & { readonly record: JournalRecord };
type Growth = Extract<CommitRecord["log"][number], { readonly type: "message.grown" }>;

/** A trace event, or why the value is invalid. */
export type ReadTraceEvent =
  | { readonly success: true; readonly data: Event }
  | { readonly success: false; readonly problem: string };

/** Parse a trace event from JSON. Most are plain commits, which need no schema. */
export function readTraceEvent(json: unknown): ReadTraceEvent {
  const plain = parsePlainEvent(json);
  if (plain !== undefined) return { success: true, data: plain };
  const parsed = traceEventSchema.safeParse(json);
  if (parsed.success) return parsed;
  const [first] = parsed.error.issues;
  return { success: false, problem: `${first?.path.join(".") ?? ""}: ${first?.message ?? ""}` };
}

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Undefined if something is invalid. */
function parsePlainEvent(json: unknown): Event | undefined {
  if (typeof json !== "object" || json === null || !("record" in json)) return undefined;
  const frame = parsePlainFrame(json) ?? frameSchema.safeParse(json).data;
  const record = frame === undefined ? undefined : parsePlainRecord(json.record);
  return frame === undefined || record === undefined ? undefined : { ...frame, record };
}

/** Fields that only live events have. */
const RARE_FIELDS = ["microsteps", "durable", "moves", "next"] as const;

/** Undefined if it has rare or invalid fields. */
function parsePlainFrame(json: object): Frame | undefined {
  if (!("seq" in json && "taskId" in json && "from" in json)) return undefined;
  if (RARE_FIELDS.some((name) => name in json)) return undefined;
  const { seq, taskId, from } = json;
  const because = "because" in json ? json.because : undefined;
  if (!isIndex(seq) || typeof taskId !== "string" || typeof from !== "string") return undefined;
  if (because === undefined) return { seq, taskId, from };
  return isIndex(because) ? { seq, taskId, from, because } : undefined;
}

/** Leave out empty lists and false flags, as in a journal, for its fast parser. An empty queue is a change. */
function parsePlainRecord(record: unknown): JournalRecord | undefined {
  if (typeof record !== "object" || record === null || !("log" in record)) return undefined;
  const fields = Object.fromEntries(
    Object.entries(record).filter(([name, value]) => name === "queue" || !isDefault(value)),
  );
  const { log } = record;
  // No journal contains growth: its parser gets the other fields.
  const growth = Array.isArray(log) && log.every(isGrowth) ? log : undefined;
  const parsed = parseRecord({ ...fields, log: growth === undefined ? log : [] });
  if (!parsed.success) return undefined;
  const { data } = parsed;
  return growth !== undefined && data.kind === "commit" ? { ...data, log: growth } : data;
}

const isDefault = (value: unknown): boolean =>
  value === false || (Array.isArray(value) && value.length === 0);

const isGrowth = (value: unknown): value is Growth =>
  typeof value === "object" &&
  value !== null &&
  Object.keys(value).length === 3 &&
  "type" in value &&
  value.type === "message.grown" &&
  "ts" in value &&
  typeof value.ts === "number" &&
  "text" in value &&
  typeof value.text === "string";
