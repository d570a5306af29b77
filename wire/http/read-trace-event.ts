import type { z } from "zod";
import { type CommitRecord, type JournalRecord, parseRecord } from "../journal/index.ts";
import { traceEventSchema } from "./trace.ts";

/** All of an event but its record, which is read by its own, quicker way. */
const frameSchema = traceEventSchema.omit({ record: true });

type Frame = z.output<typeof frameSchema>;
type Event = Frame & { readonly record: JournalRecord };
type Growth = Extract<CommitRecord["log"][number], { readonly type: "message.grown" }>;

/** An event of a trace, or in words why the value is none. */
export type ReadTraceEvent =
  | { readonly success: true; readonly data: Event }
  | { readonly success: false; readonly problem: string };

/** Reads an event of a trace from the JSON of its line. Most are plain commits, which are read without a schema. */
export function readTraceEvent(json: unknown): ReadTraceEvent {
  const quick = quickEvent(json);
  if (quick !== undefined) return { success: true, data: quick };
  const parsed = traceEventSchema.safeParse(json);
  if (parsed.success) return parsed;
  const [first] = parsed.error.issues;
  return { success: false, problem: `${first?.path.join(".") ?? ""}: ${first?.message ?? ""}` };
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Undefined: something is wrong with it. */
function quickEvent(json: unknown): Event | undefined {
  if (typeof json !== "object" || json === null || !("record" in json)) return undefined;
  const frame = quickFrame(json) ?? frameSchema.safeParse(json).data;
  const record = frame === undefined ? undefined : quickRecord(json.record);
  return frame === undefined || record === undefined ? undefined : { ...frame, record };
}

/** Undefined: it has something that is rare, or is wrong. */
function quickFrame(json: object): Frame | undefined {
  if (!("seq" in json && "taskId" in json && "from" in json)) return undefined;
  if ("microsteps" in json || "durable" in json) return undefined;
  const { seq, taskId, from } = json;
  const because = "because" in json ? json.because : undefined;
  if (!isPlace(seq) || typeof taskId !== "string" || typeof from !== "string") return undefined;
  if (because === undefined) return { seq, taskId, from };
  return isPlace(because) ? { seq, taskId, from, because } : undefined;
}

/** Lists and marks that say nothing are left out, as in a journal: so the quick way of a journal's reader is taken. */
function quickRecord(record: unknown): JournalRecord | undefined {
  if (typeof record !== "object" || record === null || !("log" in record)) return undefined;
  const said = Object.fromEntries(Object.entries(record).filter(([, value]) => !saysNothing(value)));
  const { log } = record;
  // Growth is in no journal: its reader is shown the rest.
  const growth = Array.isArray(log) && log.every(isGrowth) ? log : undefined;
  const parsed = parseRecord({ ...said, log: growth === undefined ? log : [] });
  if (!parsed.success) return undefined;
  const { data } = parsed;
  return growth !== undefined && data.kind === "commit" ? { ...data, log: growth } : data;
}

const saysNothing = (value: unknown): boolean =>
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
