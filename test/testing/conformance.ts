import { describe, test } from "vitest";
import type { JournalDriver } from "../../ports/journal.ts";
import { encodeLine } from "../../store/journal/line.ts";
import { type JournalTail, readJournal } from "../../store/journal/reader.ts";
import { type DriverUnderTest, journalConformance } from "../../testing/index.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { JOURNAL_VERSION, type JournalDraft } from "../../wire/journal/record.ts";

export const header = {
  seq: 0,
  kind: "header",
  version: JOURNAL_VERSION,
  taskId: "t1",
  createdAt: 1,
} as const satisfies JournalDraft;
export const commit = (seq: number, text = `message ${seq}`): JournalDraft => ({
  seq,
  kind: "commit",
  at: seq,
  before: "running",
  after: "running",
  log: [{ type: "message.appended", message: { ts: seq, type: "say", say: "text", text } }],
});
export const lines = (...drafts: readonly JournalDraft[]): string[] => drafts.map(encodeLine);
export const contentWith = (...drafts: readonly JournalDraft[]): Buffer =>
  Buffer.from(
    lines(...drafts)
      .map((line) => `${line}\n`)
      .join(""),
  );

export async function contentOf(driver: JournalDriver): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of driver.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function readAll(driver: Pick<JournalDriver, "path" | "read">) {
  const records: JournalRecord[] = [];
  const tails: JournalTail[] = [];
  for await (const record of readJournal(driver, { onTail: (tail) => tails.push(tail) }))
    records.push(record);
  return { records, tails, seqs: records.map(({ seq }) => seq) };
}

/** Define the conformance suite of journal drivers as tests. */
export function driverConformance(name: string, under: DriverUnderTest): void {
  describe(`${name}, like every journal driver,`, () => {
    for (const { title, run } of journalConformance(under)) test(title, run);
  });
}
