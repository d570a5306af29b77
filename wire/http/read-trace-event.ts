import type { z } from "zod";
import { parsePlainCommit } from "../journal/plain-commit.ts";
import type { JournalRecord } from "../journal/record.ts";
import { traceEventSchema } from "./trace.ts";

/** A trace event without its record, which {@link parsePlainCommit} parses faster. */
const frameSchema = traceEventSchema.omit({ record: true });

type Frame = z.output<typeof frameSchema>;
type Event = Frame & { readonly record: JournalRecord };

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

/** Undefined if something is invalid, or the record is no commit. */
function parsePlainEvent(json: unknown): Event | undefined {
  if (typeof json !== "object" || json === null || !("record" in json)) return undefined;
  const record = parsePlainCommit(json.record);
  if (record === undefined) return undefined;
  const plain = parsePlainFrame(json, record);
  if (plain !== undefined) return plain;
  const frame = frameSchema.safeParse(json);
  return frame.success ? { ...frame.data, record } : undefined;
}

/** The fields that most events have. The schema reads an event with another field. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set(["seq", "taskId", "from", "because", "record"]);

/** Undefined if it has other or invalid fields. */
function parsePlainFrame(json: object, record: JournalRecord): Event | undefined {
  if (!("seq" in json && "taskId" in json && "from" in json)) return undefined;
  for (const name in json) if (!PLAIN_FIELDS.has(name)) return undefined;
  const { seq, taskId, from } = json;
  const because = "because" in json ? json.because : undefined;
  if (!isIndex(seq) || typeof taskId !== "string" || typeof from !== "string") return undefined;
  if (because === undefined) return { seq, taskId, from, record };
  return isIndex(because) ? { seq, taskId, from, because, record } : undefined;
}
