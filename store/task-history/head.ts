import { Allow, parse as parsePartial } from "partial-json";
import { z } from "zod";
import { type HeaderRecord, JOURNAL_VERSION, journalRecordSchema } from "../../wire/index.ts";
import { decodeLine } from "../journal/index.ts";
import { titleOf } from "./title.ts";

/** What the beginning of a journal tells. */
export type JournalHead =
  | { readonly header: HeaderRecord; readonly prompt: string }
  | { readonly header?: undefined; readonly reason: string };

const NEWLINE = 0x0a;

/**
 * Reads the header and the first words of the first prompt from the first bytes of a journal. `isWhole`: these are all
 * its bytes, and a last line without its end was never written.
 */
export function parseHead(piece: Buffer, isWhole: boolean): JournalHead {
  const end = piece.indexOf(NEWLINE);
  if (end < 0) return { reason: "its first line has no end" };
  const line = decodeLine(piece.subarray(0, end));
  if (!line.whole) return { reason: `line 1: ${line.reason}` };
  const version = versionSchema.safeParse(line.json).data?.version ?? 0;
  if (version > JOURNAL_VERSION)
    return { reason: `its format is version ${version}; this program knows up to ${JOURNAL_VERSION}` };
  const header = journalRecordSchema.safeParse(line.json);
  if (!header.success || header.data.kind !== "header") return { reason: "line 1 is no header of a journal" };
  return { header: header.data, prompt: promptIn(piece.subarray(end + 1), isWhole) };
}

const versionSchema = z.object({ kind: z.literal("header"), version: z.number() });

const rowSchema = z.object({ say: z.literal("text"), text: z.string() });
const logSchema = z.object({
  log: z.array(z.looseObject({ message: z.unknown().optional(), messages: z.array(z.unknown()).optional() })),
});

/** Lines that are looked at for the prompt: a name that a task is given, or a mode, may come before it. */
const LINES_MAX = 4;

/** The last line may be cut off where more is in the file: what it has is enough for a title. */
function promptIn(piece: Buffer, isWhole: boolean): string {
  let from = 0;
  for (let count = 0; count < LINES_MAX && from < piece.length; count += 1) {
    const newline = piece.indexOf(NEWLINE, from);
    if (newline < 0 && isWhole) return "";
    const end = newline < 0 ? piece.length : newline;
    const title = promptOf(piece.subarray(from, end), newline < 0);
    if (title !== "") return title;
    from = end + 1;
  }
  return "";
}

function promptOf(line: Buffer, isCut: boolean): string {
  const record = logSchema.safeParse(jsonOf(line, isCut));
  if (!record.success) return "";
  for (const { message, messages } of record.data.log)
    for (const row of messages ?? [message]) {
      const said = rowSchema.safeParse(row);
      if (said.success) return titleOf(said.data.text);
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
    // No JSON: the end of the journal tells that it is torn or damaged.
    return undefined;
  }
}
