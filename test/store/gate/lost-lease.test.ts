import { describe, expect, test } from "vitest";
import type { JournalDriver } from "../../../ports/journal.ts";
import { JournalError } from "../../../store/journal/error.ts";
import { memoryJournal } from "../../../store/journal/memory.ts";
import { createTestTask, messagesOf, publishedMessages, queued, recordsOf, start } from "./test-task.ts";

/** A journal that is owned by a lease. The test settles its appends one at a time. */
function leasedJournal() {
  const inner = memoryJournal();
  const appends: { readonly succeed: () => void; readonly fail: () => void }[] = [];
  let onLost: (error: Error) => void = () => {};
  const error = new JournalError("JOURNAL_LOCKED", "(memory)", "The lease was lost.");
  const driver: JournalDriver = {
    ...inner,
    append: (lines) =>
      new Promise((resolve, reject) => {
        appends.push({ succeed: () => resolve(inner.append(lines)), fail: () => reject(error) });
      }),
    onLost(listener) {
      onLost = listener;
    },
  };
  const settle = async (act: (() => void) | undefined): Promise<void> => {
    act?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    driver,
    waiting: () => appends.length,
    lose: () => onLost(error),
    succeed: () => settle(appends.shift()?.succeed),
    fail: () => settle(appends.shift()?.fail),
  };
}

/** Write what waits, and compare the journal with what listeners know. */
async function expectNothingLost(
  journal: ReturnType<typeof leasedJournal>,
  task: ReturnType<typeof createTestTask>,
) {
  const flushed = task.gate.flushed();
  while (journal.waiting() > 0) await journal.succeed();
  await flushed;
  const records = await recordsOf(journal.driver);
  expect(records.map(({ seq }) => seq)).toEqual([...records.keys()]);
  expect(messagesOf(records)).toEqual(publishedMessages(task.published));
  return messagesOf(records).map(({ text }) => text);
}

describe("a gate whose journal loses its lease", () => {
  test("brings the task to rest at once and stops its effect", async () => {
    const journal = leasedJournal();
    const task = createTestTask(journal.driver);
    task.send(start());
    await journal.succeed();
    expect(task.started).toEqual(["call-0"]);
    journal.lose();
    expect(task.snapshot().value).toBe("resumable");
    expect(task.failures).toEqual(["Journal (memory): The lease was lost."]);
    expect(task.published.at(-1)).toMatchObject({ durable: false, failure: { code: "JOURNAL_LOCKED" } });
    expect(await expectNothingLost(journal, task)).toEqual(["go", ""]);
  });

  test("starts no effect of an append in flight that succeeds later, and loses no commit", async () => {
    const journal = leasedJournal();
    const task = createTestTask(journal.driver);
    task.send(start());
    task.send(queued("more"));
    journal.lose();
    expect(task.snapshot().value).toBe("resumable");
    await journal.succeed();
    expect(task.started).toEqual([]);
    expect(await expectNothingLost(journal, task)).toEqual(["go", "more", ""]);
    expect(task.started).toEqual([]);
    expect(task.errors).toEqual([]);
  });

  test("rests again if it is lost while the first write after a failure is in flight", async () => {
    const journal = leasedJournal();
    const task = createTestTask(journal.driver);
    task.send(start());
    await journal.fail();
    task.send(start("again"));
    journal.lose();
    expect(task.snapshot().value).toBe("resumable");
    await journal.succeed();
    expect(task.started).toEqual([]);
    expect(await expectNothingLost(journal, task)).toEqual(["go", "", "again", ""]);
  });

  test("rejects a result that waits behind the append in flight, and writes it first later", async () => {
    const journal = leasedJournal();
    const task = createTestTask(journal.driver);
    task.send(start());
    const result = task.gate.record({ callId: "call-0", content: [] });
    journal.lose();
    await expect(result).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    await expectNothingLost(journal, task);
    const kinds = (await recordsOf(journal.driver)).map(({ kind }) => kind);
    expect(kinds).toEqual(["header", "commit", "effect.end", "commit"]);
  });
});
