import type { LogEvent } from "../../../machines/index.ts";
import type { TraceEvent } from "../../../trace/index.ts";
import { parseRecord, traceEventSchema } from "../../../wire/index.ts";

/** An event of a trace, or in words why the value is none. */
export type ParsedEvent =
  | { readonly success: true; readonly data: TraceEvent }
  | { readonly success: false; readonly problem: string };

/** Reads an event from the JSON of its line. Most are plain commits, which are read without a schema. */
export function parseEvent(json: unknown): ParsedEvent {
  const quick = quickEvent(json);
  if (quick !== undefined) return { success: true, data: quick };
  const parsed = traceEventSchema.safeParse(json);
  if (parsed.success) return parsed;
  const [first] = parsed.error.issues;
  return { success: false, problem: `${first?.path.join(".") ?? ""}: ${first?.message ?? ""}` };
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Undefined: it has something that is rare, or is wrong. */
function quickEvent(json: unknown): TraceEvent | undefined {
  if (typeof json !== "object" || json === null || !("record" in json) || "microsteps" in json) return;
  if (!("seq" in json && "taskId" in json && "from" in json) || "durable" in json) return;
  const { seq, taskId, from, record } = json;
  const because = "because" in json ? json.because : undefined;
  if (!isPlace(seq) || typeof taskId !== "string" || typeof from !== "string") return;
  if (because !== undefined && !isPlace(because)) return;
  const read = quickRecord(record);
  if (read === undefined) return;
  return { seq, taskId, record: read, from, ...(because !== undefined && { because }) };
}

/** Lists and marks that say nothing are left out, as in a journal: so the quick way of a journal's reader is taken. */
function quickRecord(record: unknown): TraceEvent["record"] | undefined {
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

const isGrowth = (value: unknown): value is Extract<LogEvent, { readonly type: "message.grown" }> =>
  typeof value === "object" &&
  value !== null &&
  Object.keys(value).length === 3 &&
  "type" in value &&
  value.type === "message.grown" &&
  "ts" in value &&
  typeof value.ts === "number" &&
  "text" in value &&
  typeof value.text === "string";
