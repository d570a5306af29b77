import { Decompress } from "fzstd";
import { Allow, parse as parsePartial } from "partial-json";
import { parseJson } from "../../../machines/message/json.ts";
import { isZip, isZstandard } from "./compressed.ts";
import { evalLog, isLogMember } from "./inspect-log.ts";
import { DEPTH_MAX, type Fields, fieldsOf, isDeeper, jsonLines } from "./json-fields.ts";
import type { TranscriptFile, TranscriptProblem } from "./transcript.ts";
import { readZip } from "./zip.ts";

/** A file of an agent, decoded: its text, and its value if it is not of JSON lines. */
export interface LoadedFile {
  readonly name: string;
  readonly text: string;
  readonly value?: unknown;
  readonly problems: readonly TranscriptProblem[];
}

/** Maximum bytes of a file, also after it is unpacked. */
export const TRANSCRIPT_BYTES_MAX = 256 * 1024 * 1024;

const UTF_8 = new TextDecoder();

/** Decode a file: text, a zip file, or text compressed by Zstandard. */
export function loadFile({ name, content }: TranscriptFile): LoadedFile {
  if (content.length > TRANSCRIPT_BYTES_MAX) return failed(name, tooLarge(content.length));
  if (typeof content === "string") return loadText(name, content);
  if (isZip(content)) return loadZip(name, content);
  if (!isZstandard(content)) return loadText(name, UTF_8.decode(content));
  const { text, problem } = decompressed(content);
  const loaded = loadText(name, text);
  if (problem === undefined) return loaded;
  return { ...loaded, problems: [...loaded.problems, { where: name, what: problem }] };
}

const tooLarge = (size: number): string => `expected at most ${TRANSCRIPT_BYTES_MAX} bytes, got ${size}`;

const failed = (name: string, what: string): LoadedFile => ({
  name,
  text: "",
  problems: [{ where: name, what }],
});

/** A text of several JSON lines has no value of its own. If JSON ends early, the part before the end is read. */
function loadText(name: string, given: string): LoadedFile {
  const text = given.replace(/^\uFEFF/, "");
  const file = { name, text, problems: [] };
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return file;
  const [first = ""] = trimmed.split("\n", 1);
  const isOneLine = first.length === trimmed.length;
  const line = parseJson(first);
  if (line !== undefined && !isOneLine && first.startsWith("{")) return file;
  const value = isOneLine ? line : parseJson(text);
  if (value !== undefined) return withValue(file, value);
  const what = "expected JSON to its end; what comes before the damage was read";
  return withValue({ ...file, problems: [{ where: name, what }] }, partialValue(text));
}

function withValue(file: LoadedFile, value: unknown): LoadedFile {
  if (isDeeper(value, DEPTH_MAX)) return failed(file.name, `expected at most ${DEPTH_MAX} levels of JSON`);
  return { ...file, value };
}

function partialValue(text: string): unknown {
  try {
    return parsePartial(text, Allow.ALL);
  } catch {
    // The caller reports that it is damaged.
    return undefined;
  }
}

function loadZip(name: string, bytes: Uint8Array): LoadedFile {
  const options = { isWanted: isLogMember, bytesMax: TRANSCRIPT_BYTES_MAX };
  const { texts, problems } = readZip(bytes, name, options);
  const value = evalLog(texts, (text): Fields => fieldsOf(parseJson(text)));
  return withValue({ name, text: "", problems }, value);
}

function decompressed(bytes: Uint8Array): { readonly text: string; readonly problem?: string } {
  const parts: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array): void => {
    size += part.length;
    if (size > TRANSCRIPT_BYTES_MAX) throw new RangeError(tooLarge(size));
    parts.push(part);
  };
  try {
    new Decompress(take).push(bytes, true);
    return { text: textIn(parts) };
  } catch (error) {
    return { text: textIn(parts), problem: error instanceof Error ? error.message : String(error) };
  }
}

function textIn(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}

/** The records of a file by which its format is found: its value, or its first lines, or both if it is damaged. */
export function headOf({ text, value, problems }: LoadedFile): readonly unknown[] {
  if (value !== undefined && problems.length === 0) return [value];
  const head = text.split("\n", HEAD_MAX_LINES).join("\n");
  return [value, ...jsonLines(head, "").flatMap((line) => ("fields" in line ? [line.fields] : []))];
}

const HEAD_MAX_LINES = 50;
