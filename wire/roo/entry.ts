import { textBlock } from "../../machines/conversation/blocks.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import { entrySchema, responseModelSchema } from "../entry.ts";
import { excerpt } from "../excerpt.ts";
import { isBlank, parseBlock } from "./block.ts";
import { type Indexed, isJson, type Json, without } from "./json.ts";
import type { Report } from "./report.ts";

const isEntry = (value: unknown): value is Entry => entrySchema.safeParse(value).success;

/** Parse an entry with the blocks that the endpoint accepts; `undefined` if none is left. */
export function parseEntry(value: unknown, index: number, report: Report): Indexed<Entry> | undefined {
  const role =
    isJson(value) && (value.role === "user" || value.role === "assistant") ? value.role : undefined;
  if (!isJson(value) || role === undefined) {
    report.add(index, "format", `A value that is not an entry was left out: ${excerpt(value)}.`);
    return undefined;
  }
  const hasModel = responseModelSchema.safeParse(value.model).success;
  const given = contentList(value, index, report);
  const blocks = given.flatMap((block) => parseBlock({ role, hasModel }, block, index, report) ?? []);
  if (blocks.length === 0) {
    report.add(index, "L6", `An empty ${role} entry was left out.`);
    return undefined;
  }
  const isSame = value.content === given && blocks.every((block, at) => block === given[at]);
  // Other programs may have a field of this name.
  const known = hasModel || value.model === undefined ? value : without(value, new Set(["model"]));
  const entry: unknown = isSame && blocks.length === given.length ? known : { ...known, content: blocks };
  return isEntry(entry) ? { index, value: entry } : undefined;
}

function contentList(value: Json, index: number, report: Report): readonly unknown[] {
  const { content } = value;
  if (Array.isArray(content)) return content;
  if (typeof content !== "string") {
    report.add(index, "format", `The content of an entry is not text or a list: ${excerpt(content)}.`);
    return [];
  }
  if (isBlank(content)) return [];
  report.count(index, "format", "Entries whose text became a text block");
  return [textBlock(content)];
}
