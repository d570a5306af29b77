import type { ClineMessage } from "../../machines/message/message.ts";
import { excerpt } from "../excerpt.ts";
import { messageSchema } from "../message-schema.ts";
import { type Indexed, isJson, type Json, without } from "./json.ts";
import type { Report } from "./report.ts";

const isMessage = (value: unknown): value is ClineMessage => messageSchema.safeParse(value).success;

/** The last time that a date can have, in milliseconds. */
const TIMESTAMP_MAX = 8.64e15;
const isTimestamp = (ts: unknown): ts is number => typeof ts === "number" && Math.abs(ts) <= TIMESTAMP_MAX;

/**
 * Parse messages. Values that are not messages and fields of a wrong type are left out. A `ts` that is missing, repeated
 * or decreasing becomes the next free one (L5).
 */
export function parseMessages(values: readonly unknown[], report: Report): Indexed<ClineMessage>[] {
  const parsed = values.flatMap((value, index) => parseMessage(value, index, report) ?? []);
  const first = parsed.findIndex(({ value }) => isTimestamp(value.ts));
  const start = parsed[first]?.value.ts;
  let last = isTimestamp(start) ? Math.floor(start) - first - 1 : 0;
  return parsed.flatMap(({ index, value }) => {
    const ts = isTimestamp(value.ts) && value.ts > last ? value.ts : Math.floor(last) + 1;
    last = ts;
    if (ts !== value.ts) report.add(index, "L5", formatChange(value.ts, ts));
    const message = ts === value.ts ? value : { ...value, ts };
    return isMessage(message) ? [{ index, value: message }] : [];
  });
}

const formatChange = (before: unknown, after: number): string =>
  isTimestamp(before)
    ? `The ts ${before} is not greater than the previous one; it became ${after}.`
    : `The ts is missing or invalid (${excerpt(before)}); it became ${after}.`;

/** Parse the fields of a message, except its `ts`. */
function parseMessage(value: unknown, index: number, report: Report): Indexed<Json> | undefined {
  if (!isJson(value)) {
    report.add(index, "format", `A value that is not a message was left out: ${excerpt(value)}.`);
    return undefined;
  }
  const wrong = wrongFields(value);
  if (wrong.has("type")) {
    report.add(index, "format", `A message whose type is not ask or say was left out: ${excerpt(value)}.`);
    return undefined;
  }
  for (const name of wrong)
    report.add(index, "format", `The field ${name} of a wrong type was left out: ${excerpt(value[name])}.`);
  return { index, value: wrong.size === 0 ? value : without(value, wrong) };
}

function wrongFields(value: Json): ReadonlySet<string> {
  const checked = messageSchema.safeParse({ ...value, ts: 0 });
  const names = (checked.error?.issues ?? []).map(({ path: [name] }) => String(name));
  // Our messages may have a text of null; Roo Code's may not.
  return new Set(value.text === null ? [...names, "text"] : names);
}
