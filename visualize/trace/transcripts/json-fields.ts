import { parseJson } from "../../../machines/message/json.ts";
import { isAmount } from "../../../machines/message/request.ts";
import { TASK_ID_MAX_CHARS } from "../../../wire/task-id.ts";

/** A JSON object of an unknown form. */
export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value as an object; empty for anything else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** The value as a list; empty for anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value as a text; undefined for anything else and for an empty one. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The value as an amount from 0; 0 for anything else. */
export const amountOf = (value: unknown): number => (isAmount(value) ? value : 0);

/** A time as text or in milliseconds; undefined for anything else. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isFinite(time) && time >= 0 && time <= LATEST ? time : undefined;
}

/** The latest time that a `Date` has. */
const LATEST = 8.64e15;

/** The texts of a message's content: a text, or blocks with texts. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = listOf(content).map((block) =>
    typeof block === "string" ? block : blockText(fieldsOf(block)),
  );
  return texts.filter((text) => text !== "").join("\n");
}

function blockText(block: Fields): string {
  const text = textOf(block.text) ?? textOf(block.content);
  return text ?? (textOf(block.type)?.includes("image") === true ? "[image]" : "");
}

/** The id as a task id: other characters become `_`. */
export function taskIdOf(id: string): string {
  const plain = id.replaceAll(/[^A-Za-z0-9._-]/g, "_").replace(/^\./, "_");
  return plain.slice(0, TASK_ID_MAX_CHARS) || "session";
}

/** The name of a file of JSON lines, without its folder and its extension. */
export const stemOf = (name: string): string => /([^/\\]*?)(?:\.jsonl(?:\.zst)?)?$/.exec(name)?.[1] ?? name;

/** Maximum characters of a line. A longer one is not read. */
const LINE_MAX_CHARS = 64 * 1024 * 1024;

/** Maximum levels of nested JSON. */
export const DEPTH_MAX = 200;

/** Whether a JSON value has more than `levels` levels. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** A line of a file of JSON lines: an object, or the reason why it was not read. */
export type JsonLine =
  | { readonly where: string; readonly fields: Fields }
  | { readonly where: string; readonly problem: string };

/** The lines of a file of JSON lines. Empty lines are skipped. */
export function jsonLines(text: string, file: string): readonly JsonLine[] {
  return text.split("\n").flatMap((line, index): readonly JsonLine[] => {
    if (line.trim() === "") return [];
    const where = `${file}, line ${index + 1}`;
    const value = line.length > LINE_MAX_CHARS ? undefined : parseJson(line);
    const problem = problemOf(line, value);
    return [
      problem === undefined && isFields(value) ? { where, fields: value } : { where, problem: problem ?? "" },
    ];
  });
}

function problemOf(line: string, value: unknown): string | undefined {
  if (line.length > LINE_MAX_CHARS)
    return `expected at most ${LINE_MAX_CHARS} characters, got ${line.length}; the line was not read`;
  if (value === undefined) return "expected JSON; the line is damaged or incomplete and was not read";
  if (!isFields(value)) return "expected a JSON object; the line was not read";
  return isDeeper(value, DEPTH_MAX)
    ? `expected at most ${DEPTH_MAX} levels of JSON; the line was not read`
    : undefined;
}
