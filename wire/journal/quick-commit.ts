import type { ClineMessage, LogEvent } from "../../machines/message/index.ts";
import { emptyParts } from "../../machines/task/index.ts";
import type { CommitRecord, RecordedCause } from "./record.ts";

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/**
 * A commit that appends a few rows and no more: by far the most of a long journal. It is looked at here, which costs a
 * tenth of the schema's work, so that a task of 100,000 rows opens in less than a second. Whatever is not exactly
 * so is left to the schema, which takes all that is taken here.
 */
export function quickCommit(json: unknown): CommitRecord | undefined {
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
    isRow(value.message)
  );
}
const APPENDED_KEYS: ReadonlySet<string> = new Set(["type", "message"]);

function isRow(value: unknown): value is ClineMessage {
  if (!isObject(value) || typeof value.ts !== "number") return false;
  if (value.type !== "say" && value.type !== "ask") return false;
  for (const key in value) {
    const type = ROW_TYPES.get(key);
    if (type === undefined || typeof value[key] !== type) return false;
  }
  return true;
}

const ROW_TYPES: ReadonlyMap<string, string> = new Map([
  ["ts", "number"],
  ["type", "string"],
  ["ask", "string"],
  ["say", "string"],
  ["text", "string"],
  ["partial", "boolean"],
  ["callId", "string"],
]);
