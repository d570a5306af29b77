import { type Entry, textBlock } from "../../machines/conversation/index.ts";
import { entrySchema } from "../entry.ts";
import { shown } from "../error.ts";
import { blockOf, isBlank } from "./block.ts";
import { isJson, type Json, type Placed } from "./indexed.ts";
import type { Report } from "./report.ts";

const isEntry = (value: unknown): value is Entry => entrySchema.safeParse(value).success;

/** The entry `value`, of blocks that the endpoint takes. One that has none is left out. */
export function entryOf(value: unknown, index: number, report: Report): Placed<Entry> | undefined {
  const role =
    isJson(value) && (value.role === "user" || value.role === "assistant") ? value.role : undefined;
  if (!isJson(value) || role === undefined) {
    report.add(
      index,
      "format",
      `It is no entry of a user or an assistant and was left out: ${shown(value)}.`,
    );
    return undefined;
  }
  const given = listOf(value, index, report);
  const blocks = given.flatMap((block) => blockOf(role, block, index, report) ?? []);
  if (blocks.length === 0) {
    report.add(index, "L6", `The ${role}'s entry is empty and was left out.`);
    return undefined;
  }
  const isSame = value.content === given && blocks.every((block, at) => block === given[at]);
  const entry: unknown = isSame && blocks.length === given.length ? value : { ...value, content: blocks };
  return isEntry(entry) ? { index, value: entry } : undefined;
}

function listOf(value: Json, index: number, report: Report): readonly unknown[] {
  const { content } = value;
  if (Array.isArray(content)) return content;
  if (typeof content !== "string") {
    report.add(index, "format", `Its content is neither text nor a list: ${shown(content)}.`);
    return [];
  }
  if (isBlank(content)) return [];
  report.count(index, "format", "entry", (times) =>
    times === 1
      ? "1 entry was bare text; it became a text block."
      : `${times} entries were bare text; each became a text block.`,
  );
  return [textBlock(content)];
}
