import * as z from "zod";
import type { LogEvent } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { emptyParts } from "../../machines/task/commit.ts";
import { type CommitRecord, type JournalRecord, journalRecordSchema, type RecordedCause } from "./record.ts";

/** A record, or why the value is invalid. */
export type ParsedRecord =
  | { readonly success: true; readonly data: JournalRecord }
  | { readonly success: false; readonly problem: string };

/** Parse one record of a journal from the JSON of its line. */
export function parseRecord(json: unknown): ParsedRecord {
  const plain = parsePlainCommit(json);
  if (plain !== undefined) return { success: true, data: plain };
  const parsed = journalRecordSchema.safeParse(json);
  return parsed.success
    ? { success: true, data: parsed.data }
    : { success: false, problem: z.prettifyError(parsed.error) };
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/**
 * Parse a commit that only appends messages, without the schema; `undefined` for anything else. Most records of a long
 * journal are such commits. This takes a tenth of the schema's time: a task of 100,000 messages opens in less than a
 * second. The schema accepts everything that is accepted here.
 */
function parsePlainCommit(json: unknown): CommitRecord | undefined {
  if (!isObject(json) || json.kind !== "commit") return undefined;
  const { seq, at, before, after, cause, log } = json;
  if (!isCount(seq) || typeof at !== "number" || typeof before !== "string" || typeof after !== "string")
    return undefined;
  if (!hasOnly(json, COMMIT_KEYS) || !isList(log, isAppended)) return undefined;
  if (cause !== undefined && !isCause(cause)) return undefined;
  return {
    seq,
    kind: "commit",
    at,
    ...(cause !== undefined && { cause }),
    before,
    after,
    ...emptyParts,
    log,
  };
}

const COMMIT_KEYS: ReadonlySet<string> = new Set([
  "crc",
  "seq",
  "kind",
  "at",
  "before",
  "after",
  "cause",
  "log",
]);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function hasOnly(json: Json, keys: ReadonlySet<string>): boolean {
  for (const key in json) if (!keys.has(key)) return false;
  return true;
}

function isList<T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function isCause(value: unknown): value is RecordedCause {
  if (!isObject(value) || typeof value.type !== "string" || typeof value.at !== "number") return false;
  for (const key in value) if (!isScalar(value[key]) && !isFlat(value[key])) return false;
  return true;
}

function isFlat(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) if (!isScalar(value[key])) return false;
  return true;
}

function isAppended(value: unknown): value is LogEvent {
  return (
    isObject(value) &&
    value.type === "message.appended" &&
    hasOnly(value, APPENDED_KEYS) &&
    isMessage(value.message)
  );
}
const APPENDED_KEYS: ReadonlySet<string> = new Set(["type", "message"]);

function isMessage(value: unknown): value is ClineMessage {
  if (!isObject(value) || typeof value.ts !== "number") return false;
  if (value.type !== "say" && value.type !== "ask") return false;
  for (const key in value) {
    const type = MESSAGE_TYPES.get(key);
    if (type === undefined || typeof value[key] !== type) return false;
  }
  return true;
}

const MESSAGE_TYPES: ReadonlyMap<string, string> = new Map([
  ["ts", "number"],
  ["type", "string"],
  ["ask", "string"],
  ["say", "string"],
  ["text", "string"],
  ["partial", "boolean"],
  ["callId", "string"],
]);
