import type * as z from "zod";
import type { ConversationEvent } from "../../machines/conversation/conversation.ts";
import type { UserBlock } from "../../machines/conversation/entry.ts";
import type { LogEvent } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { type CommitParts, emptyParts } from "../../machines/task/commit.ts";
import { EFFECT_KINDS } from "../../machines/task/effect-kinds.ts";
import type { EffectEvent } from "../../machines/task/task.events.ts";
import { type CommitRecord, partSchemas, type RecordedCause } from "./record.ts";

type Json = Readonly<Record<string, unknown>>;
type Parts = { -readonly [K in keyof CommitParts]: CommitParts[K] };
type Values = Required<CommitParts>;

/**
 * Parse a commit, its usual parts without their schemas: appended, grown and amended messages, texts, tool calls and
 * results of the conversation, and effects. `undefined` if the value is no commit, or something is invalid. The schema
 * of a commit accepts everything that is accepted here, and takes up to ten times as long.
 */
export function parsePlainCommit(json: unknown): CommitRecord | undefined {
  if (!isObject(json) || json.kind !== "commit") return undefined;
  const { seq, at, before, after, cause, inbox } = json;
  if (!isCount(seq) || !isNumber(at) || typeof before !== "string" || typeof after !== "string")
    return undefined;
  if (cause !== undefined && !isCause(cause)) return undefined;
  // Few commits have it.
  if (inbox !== undefined) return undefined;
  const parts = partsOf(json);
  if (parts === undefined) return undefined;
  return cause === undefined
    ? { seq, kind: "commit", at, before, after, ...parts }
    : { seq, kind: "commit", at, cause, before, after, ...parts };
}

/** No plain object has a field of this name: the schema decides about it. */
const PROTOTYPE = "__proto__";

/** The parts of a commit, without its other fields. Empty lists are shared. Undefined if a part is invalid. */
function partsOf(json: Json): CommitParts | undefined {
  const parts: Parts = { ...emptyParts };
  for (const name in json) {
    if (name === PROTOTYPE) return undefined;
    const value = json[name];
    if (isEmptyPart(name, value)) continue;
    const read = READERS.get(name);
    if (read !== undefined && !read(parts, value)) return undefined;
  }
  return parts;
}

/** An empty queue is a change. */
const isEmptyPart = (name: string, value: unknown): boolean =>
  Array.isArray(value) && value.length === 0 && name !== "turnEnded" && Object.hasOwn(emptyParts, name);

/** Sets a part of a commit. Returns whether it is valid. */
type ReadPart = (parts: Parts, value: unknown) => boolean;

const SCHEMAS: { readonly [K in keyof Values]: z.ZodType<Values[K]> } = partSchemas;

const isNever = (_: unknown): _ is never => false;

/** A reader of a part: by its schema, unless it is plain. */
function reader<K extends keyof CommitParts>(
  name: K,
  isPlain: (value: unknown) => value is Parts[K] = isNever,
): ReadPart {
  const schema: z.ZodType<Values[K]> = SCHEMAS[name];
  return (parts, value) => {
    if (isPlain(value)) parts[name] = value;
    else {
      const read = schema.safeParse(value);
      if (!read.success) return false;
      parts[name] = read.data;
    }
    return true;
  };
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** JSON such as `1e999` is an infinity, which no schema accepts. */
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isScalar = (value: unknown): boolean =>
  typeof value === "string" || isNumber(value) || typeof value === "boolean";
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function isList<T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

/** Whether all fields have one of these names and types. */
function hasTypes(json: Json, types: Readonly<Record<string, string>>): boolean {
  for (const key in json) {
    const value = json[key];
    if (!Object.hasOwn(types, key) || typeof value !== types[key]) return false;
    if (typeof value === "number" && !isNumber(value)) return false;
  }
  return true;
}

function isCause(value: unknown): value is RecordedCause {
  if (!isObject(value) || typeof value.type !== "string" || !isNumber(value.at)) return false;
  for (const key in value)
    if (key === PROTOTYPE || !(isScalar(value[key]) || isFlat(value[key]))) return false;
  return true;
}

function isFlat(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) if (key === PROTOTYPE || !isScalar(value[key])) return false;
  return true;
}

function isPlainChange(value: unknown): value is LogEvent {
  if (!isObject(value)) return false;
  switch (value.type) {
    case "message.appended":
      return hasTypes(value, APPENDED) && isMessage(value.message);
    case "message.grown":
      return hasTypes(value, GROWN) && "ts" in value && "text" in value;
    case "message.amended":
      return (
        hasTypes(value, AMENDED) && "ts" in value && isObject(value.patch) && hasTypes(value.patch, PATCH)
      );
    default:
      return false;
  }
}
const APPENDED = { type: "string", message: "object" };
const GROWN = { type: "string", ts: "number", text: "string" };
const AMENDED = { type: "string", ts: "number", patch: "object" };
const PATCH = { text: "string", partial: "boolean", isAnswered: "boolean" };

const isMessage = (value: unknown): value is ClineMessage =>
  isObject(value) &&
  "ts" in value &&
  (value.type === "say" || value.type === "ask") &&
  hasTypes(value, MESSAGE);
const MESSAGE = {
  ts: "number",
  type: "string",
  ask: "string",
  say: "string",
  text: "string",
  partial: "boolean",
  callId: "string",
};

function isPlainEntry(value: unknown): value is ConversationEvent {
  if (!isObject(value) || value.type !== "entry.appended" || !hasTypes(value, ENTRY_APPENDED)) return false;
  const { entry } = value;
  if (!isObject(entry)) return false;
  if (entry.role === "user") return hasTypes(entry, ENTRY) && isList(entry.content, isUserBlock);
  return entry.role === "assistant" && hasTypes(entry, ENTRY) && isList(entry.content, isResponseBlock);
}
const ENTRY_APPENDED = { type: "string", entry: "object" };
const ENTRY = { role: "string", content: "object" };

const isText = (value: unknown): value is Extract<UserBlock, { type: "text" }> =>
  isObject(value) && value.type === "text" && "text" in value && hasTypes(value, TEXT);
const TEXT = { type: "string", text: "string" };

const isUserBlock = (value: unknown): value is UserBlock =>
  isText(value) ||
  (isObject(value) &&
    value.type === "tool_result" &&
    hasTypes(value, TOOL_RESULT) &&
    "tool_use_id" in value &&
    isList(value.content, isText));
const TOOL_RESULT = { type: "string", tool_use_id: "string", content: "object", is_error: "boolean" };

const isResponseBlock = (value: unknown): value is { readonly type: string } =>
  isText(value) ||
  (isObject(value) &&
    value.type === "tool_use" &&
    hasTypes(value, TOOL_USE) &&
    "id" in value &&
    "name" in value &&
    isObject(value.input) &&
    !Object.hasOwn(value.input, PROTOTYPE));
const TOOL_USE = { type: "string", id: "string", name: "string", input: "object" };

const isPlainEffect = (value: unknown): value is EffectEvent =>
  isObject(value) &&
  (value.type === "effect.started" || value.type === "effect.stopped") &&
  typeof value.effect === "string" &&
  KINDS.has(value.effect) &&
  "id" in value &&
  hasTypes(value, EFFECT);
const KINDS: ReadonlySet<string> = new Set(EFFECT_KINDS);
const EFFECT = { type: "string", effect: "string", id: "string", profile: "string", mode: "string" };

/** The readers of the parts, by their names. A part without a reader would be lost: the compiler rejects it. */
const READERS: ReadonlyMap<string, ReadPart> = new Map(
  Object.entries({
    log: reader("log", (value) => isList(value, isPlainChange)),
    conversation: reader("conversation", (value) => isList(value, isPlainEntry)),
    effects: reader("effects", (value) => isList(value, isPlainEffect)),
    turnEnded: reader("turnEnded", (value) => typeof value === "boolean"),
    decisions: reader("decisions"),
    control: reader("control"),
    queue: reader("queue"),
    calls: reader("calls"),
    facts: reader("facts"),
    reports: reader("reports"),
  } satisfies Readonly<Record<keyof CommitParts, ReadPart>>),
);
