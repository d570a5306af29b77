import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memoryJournal } from "../../../store/index.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { replayJournal } from "../../../store/recovery/replay.ts";
import { JOURNAL_VERSION, type JournalDraft } from "../../../wire/journal/record.ts";

const FOLDER = new URL("../../fixtures/journals/v1/", import.meta.url);
const replayed = async (name: string) => {
  const result = await replayJournal(memoryJournal({ content: readFileSync(new URL(name, FOLDER)) }));
  if (result === undefined) throw new Error(`expected records in ${name}`);
  return result;
};

describe("a journal of format version 1", () => {
  it.each(readdirSync(FOLDER))("is read completely: %s", async (name) => {
    const { header, tail, recorded } = await replayed(name);
    expect([header.version, tail]).toEqual([1, undefined]);
    expect(recorded.log.length).toBeGreaterThan(1);
  });

  it("L12: has the started calls, and the recorded results", async () => {
    const { recorded } = await replayed("commanding.jsonl");
    expect(recorded.calls).toMatchObject([
      { name: "write_to_file", phase: "running", replayable: false, end: [{ type: "text" }] },
      { name: "execute_command", phase: "running", replayable: false },
    ]);
    expect(recorded.calls[1]).not.toHaveProperty("end");
  });

  it("L12: marks a read-only call as replayable", async () => {
    const { recorded } = await replayed("waiting.jsonl");
    expect(recorded.calls).toMatchObject([{ phase: "running", replayable: true }]);
  });

  it("keeps queued messages, pending text and cost", async () => {
    const { recorded } = await replayed("waiting.jsonl");
    expect(recorded.queue).toMatchObject([{ text: "and more" }]);
    expect(recorded.facts.pending).toEqual([]);
    expect(recorded.facts.total?.cost).toBeGreaterThan(0);
  });

  it("is read with the records that follow a version record as they are", async () => {
    const content = readFileSync(new URL("cancelled.jsonl", FOLDER));
    const user = { role: "user", content: [{ type: "text", text: "Go on." }] } as const;
    const later: JournalDraft[] = [
      { seq: 11, kind: "version", at: 1, version: JOURNAL_VERSION },
      {
        seq: 12,
        kind: "commit",
        at: 2,
        before: "resumable",
        after: "streaming.receiving",
        conversation: [{ type: "entry.appended", entry: user }],
      },
    ];
    const lines = later.map((draft) => `${encodeLine(draft)}\n`);
    const read = await replayJournal(
      memoryJournal({ content: Buffer.concat([content, ...lines.map((line) => Buffer.from(line))]) }),
    );
    const { version, recorded } = await replayed("cancelled.jsonl");
    expect([version, read?.version]).toEqual([1, JOURNAL_VERSION]);
    // Version 1 ends the turn here; a later one records that.
    expect(read?.recorded.calls).toEqual(recorded.calls);
    expect(read?.recorded.facts).toEqual(recorded.facts);
  });

  it("has an open completion as an asking call", async () => {
    const { recorded } = await replayed("completed.jsonl");
    expect(recorded.calls).toMatchObject([{ name: "attempt_completion", phase: "asking" }]);
  });
});
