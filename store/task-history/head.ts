import { Allow, parse as parsePartial } from "partial-json";
import { z } from "zod";
import { type HeaderRecord, JOURNAL_VERSION, journalRecordSchema } from "../../wire/journal/record.ts";
import { decodeLine } from "../journal/line.ts";
import { formatVersion } from "../journal/reader.ts";
import { titleOf } from "./title.ts";

/** The header and the prompt of a journal, or the reason why the header is invalid. */
export type JournalHead =
  | { readonly header: HeaderRecord; readonly prompt: string }
  | { readonly header?: undefined; readonly reason: string };

const NEWLINE = 0x0a;

/**
 * Parse the header and the title of the prompt from the first bytes of a journal. `isWhole`: these are all its bytes, and
 * a last line without a newline is ignored.
 */
export function parseHead(chunk: Buffer, isWhole: boolean): JournalHead {
  const end = chunk.indexOf(NEWLINE);
  if (end < 0) return { reason: "its first line has no newline" };
  const line = decodeLine(chunk.subarray(0, end));
  if (!line.whole) return { reason: `line 1: ${line.reason}` };
  const version = formatVersion(line.json) ?? 0;
  if (version > JOURNAL_VERSION)
    return { reason: `expected format version ${JOURNAL_VERSION} or earlier, found ${version}` };
  const header = journalRecordSchema.safeParse(line.json);
  if (!header.success || header.data.kind !== "header")
    return { reason: "line 1 is not the header of a journal" };
  return { header: header.data, prompt: promptIn(chunk.subarray(end + 1), isWhole) };
}

const textSchema = z.object({ say: z.literal("text"), text: z.string() });
const logSchema = z.object({
  log: z.array(z.looseObject({ message: z.unknown().optional(), messages: z.array(z.unknown()).optional() })),
});

/** Maximum number of lines to search for the prompt: a version, a rename or a mode may come before it. */
const LINES_MAX = 5;

/** The title of the prompt, also from an incomplete last line. */
function promptIn(chunk: Buffer, isWhole: boolean): string {
  let from = 0;
  for (let count = 0; count < LINES_MAX && from < chunk.length; count += 1) {
    const newline = chunk.indexOf(NEWLINE, from);
    if (newline < 0 && isWhole) return "";
    const end = newline < 0 ? chunk.length : newline;
    const title = promptOf(chunk.subarray(from, end), newline < 0);
    if (title !== "") return title;
    from = end + 1;
  }
  return "";
}

function promptOf(line: Buffer, isCut: boolean): string {
  const record = logSchema.safeParse(jsonOf(line, isCut));
  if (!record.success) return "";
  for (const { message, messages } of record.data.log)
    for (const each of messages ?? [message]) {
      const prompt = textSchema.safeParse(each);
      if (prompt.success) return titleOf(prompt.data.text);
    }
  return "";
}

function jsonOf(line: Buffer, isCut: boolean): unknown {
  if (!isCut) {
    const decoded = decodeLine(line);
    return decoded.whole ? decoded.json : undefined;
  }
  try {
    return parsePartial(line.toString("utf8"), Allow.ALL);
  } catch {
    // Not JSON: the tail of the journal reports it.
    return undefined;
  }
}
