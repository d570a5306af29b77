import { describe, expect, test } from "vitest";
import { JournalError } from "../../../store/journal/error.ts";
import { memoryJournal } from "../../../store/journal/memory.ts";
import { replayJournal } from "../../../store/recovery/replay.ts";
import { failingJournal } from "../../../testing/index.ts";
import { cancel, createTestTask, delta, failInvariant, queued, recordsOf } from "./test-task.ts";

/** The positions in the records of a journal. */
const positionsIn = async (driver: Parameters<typeof recordsOf>[0]) =>
  (await recordsOf(driver)).map((record) => (record.kind === "commit" ? record.inbox?.position : undefined));

describe("a command of the inbox", () => {
  test("has its position in the record of what it did, so that one append has both", async () => {
    const driver = memoryJournal();
    const task = createTestTask(driver);
    task.send(queued("before"));
    task.gate.take(7, () => {
      task.send(queued("a"));
      return undefined;
    });
    task.send(queued("after"));
    expect(task.gate.taken).toBe(7);
    await task.gate.flushed();
    expect(await positionsIn(driver)).toEqual([undefined, undefined, 7, undefined]);
    expect((await replayJournal(driver))?.taken).toBe(7);
  });

  test("without a record of its own effect gets one, with the code of its refusal", async () => {
    const driver = memoryJournal();
    const task = createTestTask(driver);
    task.gate.take(1, () => "ASK_CLOSED");
    task.gate.take(2, () => undefined);
    task.gate.take(3, () => {
      task.send(delta("streamed text is not recorded"));
      return undefined;
    });
    await task.gate.flushed();
    const records = await recordsOf(driver);
    expect(records.slice(1, 3)).toMatchObject([
      {
        seq: 1,
        before: "running.open",
        after: "running.open",
        inbox: { position: 1, refused: "ASK_CLOSED" },
      },
      { seq: 2, inbox: { position: 2 } },
    ]);
    expect((await replayJournal(driver))?.taken).toBe(3);
    expect((await replayJournal(driver))?.lastSeq).toBe(records.at(-1)?.seq);
  });

  test("is not taken if it breaks an invariant of the task, or the gate is closed", async () => {
    const driver = memoryJournal();
    const task = createTestTask(driver);
    task.gate.take(1, () => {
      task.send(failInvariant);
      return undefined;
    });
    expect(task.gate.taken).toBe(0);
    expect(() => task.gate.take(2, () => undefined)).toThrow(JournalError);
    await task.gate.close();
    expect((await replayJournal(driver))?.taken ?? 0).toBe(0);
  });

  test("whose append fails is written once, before anything newer", async () => {
    const driver = failingJournal(memoryJournal(), (write) =>
      write === 1 ? new JournalError("JOURNAL_FULL", "(memory)", "The disk is full.") : undefined,
    );
    const task = createTestTask(driver, { scheduleWrite: queueMicrotask });
    task.gate.take(1, () => {
      task.send(queued("a"));
      return undefined;
    });
    await expect(task.gate.flushed()).rejects.toThrow(JournalError);
    expect(task.gate.taken).toBe(1);
    task.send(cancel);
    await task.gate.flushed();
    expect((await positionsIn(driver)).filter((position) => position !== undefined)).toEqual([1]);
  });

  test("of a journal that has none is number 0", async () => {
    const driver = memoryJournal();
    const task = createTestTask(driver);
    task.send(queued("a"));
    await task.gate.close();
    expect((await replayJournal(driver))?.taken).toBe(0);
  });
});
