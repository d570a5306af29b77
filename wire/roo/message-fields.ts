import type { ClineMessage } from "../../machines/message/index.ts";
import { shown } from "../error.ts";
import { messageSchema } from "../message-schema.ts";
import { isJson, type Json, type Placed, without } from "./indexed.ts";
import type { Report } from "./report.ts";

const isRow = (value: unknown): value is ClineMessage => messageSchema.safeParse(value).success;

/** Times beyond this are none: it is the last that a date can have, in milliseconds. */
const LAST_TIME = 8.64e15;
const isTime = (ts: unknown): ts is number => typeof ts === "number" && Math.abs(ts) <= LAST_TIME;

/**
 * The rows among `values`. What is no row is left out, and so is each field that has not its documented type.
 * Each row has a `ts` behind the one before it (L5): where it has none, or one that was there already, it gets
 * the next that is free.
 */
export function rowsIn(values: readonly unknown[], report: Report): Placed<ClineMessage>[] {
  const read = values.flatMap((value, index) => readRow(value, index, report) ?? []);
  const first = read.findIndex(({ value }) => isTime(value.ts));
  const start = read[first]?.value.ts;
  let last = isTime(start) ? Math.floor(start) - first - 1 : 0;
  return read.flatMap(({ index, value }) => {
    const ts = isTime(value.ts) && value.ts > last ? value.ts : Math.floor(last) + 1;
    last = ts;
    if (ts !== value.ts) report.add(index, "L5", sayTime(value.ts, ts));
    const row = ts === value.ts ? value : { ...value, ts };
    return isRow(row) ? [{ index, value: row }] : [];
  });
}

const sayTime = (came: unknown, given: number): string =>
  isTime(came)
    ? `Its ts ${came} is not behind that of the row before; it got ${given}.`
    : `It has no ts that can be used (${shown(came)}); it got ${given}.`;

/** All of a row but its `ts`, which may be anything yet. */
function readRow(value: unknown, index: number, report: Report): Placed<Json> | undefined {
  if (!isJson(value)) {
    report.add(index, "format", `It is no row and was left out: ${shown(value)}.`);
    return undefined;
  }
  const wrong = wrongFields(value);
  if (wrong.has("type")) {
    report.add(index, "format", `Its type is neither ask nor say, and it was left out: ${shown(value)}.`);
    return undefined;
  }
  for (const name of wrong)
    report.add(index, "format", `Its ${name} can't be ${shown(value[name])}, and was left out.`);
  return { index, value: wrong.size === 0 ? value : without(value, wrong) };
}

function wrongFields(value: Json): ReadonlySet<string> {
  const checked = messageSchema.safeParse({ ...value, ts: 0 });
  const names = (checked.error?.issues ?? []).map(({ path: [name] }) => String(name));
  // Ours may hold it; the format doesn't know it.
  return new Set(value.text === null ? [...names, "text"] : names);
}
