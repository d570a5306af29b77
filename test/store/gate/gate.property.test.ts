import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { TaskEvent } from "../../../machines/task/task.events.ts";
import type { JournalDriver } from "../../../ports/journal.ts";
import { JournalError } from "../../../store/journal/error.ts";
import { memoryJournal } from "../../../store/journal/memory.ts";
import type { JournalRecord } from "../../../wire/journal/record.ts";
import {
  cancel,
  createTestTask,
  delta,
  messagesOf,
  moveSilently,
  preview,
  publishedMessages,
  queued,
  recordsOf,
  start,
  type TestTask,
  textEnd,
} from "./test-task.ts";

const eventArbitrary: fc.Arbitrary<TaskEvent> = fc.oneof(
  fc.constantFrom("x", "yy", "é").map(queued),
  { weight: 3, arbitrary: fc.constantFrom("a", "bc", "\n").map(delta) },
  fc.constantFrom("p", "pq").map(preview),
  { weight: 2, arbitrary: fc.constant(textEnd) },
  { weight: 2, arbitrary: fc.constant(start()) },
  fc.constant(cancel),
  fc.constant(moveSilently),
);

/** Create a journal whose writes are scheduled by `scheduler` and fail where `faults` is true. */
function scheduledJournal(scheduler: fc.Scheduler, faults: readonly boolean[]) {
  const inner = memoryJournal();
  let writes = 0;
  const driver: JournalDriver = {
    ...inner,
    async append(lines) {
      const fails = faults[writes++] ?? false;
      await scheduler.schedule(Promise.resolve(), "write");
      if (fails) throw new JournalError("JOURNAL_IO", "(memory)", "a fault");
      await inner.append(lines);
      durable = [...durable, ...lines.map((line): JournalRecord => JSON.parse(line))];
    },
  };
  let durable: readonly JournalRecord[] = [];
  return { driver, durable: () => durable };
}

/** Check each published commit and each started effect. */
function monitor(task: TestTask, durable: () => readonly JournalRecord[]) {
  const problems: string[] = [];
  let newest = 0;
  task.gate.onCommit(({ seq, durable: isDurable, commit }) => {
    if (isDurable && !durable().some((record) => record.seq === seq))
      problems.push(`${seq} published before it was durable`);
    if (!isDurable && !commit.after.startsWith("resumable"))
      problems.push(`${seq} published, not durable and not at rest`);
    if (seq < newest) problems.push(`${seq} published after ${newest}`);
    newest = seq;
  });
  const push = task.started.push.bind(task.started);
  task.started.push = (id) => {
    const isRecorded = durable().some(
      (record) =>
        record.kind === "commit" &&
        record.effects?.some((effect) => effect.type === "effect.started" && effect.id === id),
    );
    if (!isRecorded) problems.push(`${id} started before its commit was durable`);
    if (task.started.includes(id)) problems.push(`${id} started twice`);
    if (task.snapshot().context.call !== id) problems.push(`${id} started after its stop`);
    return push(id);
  };
  return problems;
}

async function run(scheduler: fc.Scheduler, events: readonly TaskEvent[], faults: readonly boolean[]) {
  const journal = scheduledJournal(scheduler, faults);
  const task = createTestTask(journal.driver);
  const problems = monitor(task, journal.durable);
  scheduler.scheduleSequence(
    [...events, textEnd].map((event) => async () => {
      task.send(event);
      if (task.started.length % 2 === 1) task.finish.get(task.started.at(-1) ?? "")?.();
    }),
  );
  await scheduler.waitIdle();
  // Each attempt consumes a fault.
  for (let attempt = 0; attempt <= faults.length; attempt += 1) {
    const flushed = task.gate.flushed().then(
      () => true,
      () => false,
    );
    await scheduler.waitIdle();
    if (await flushed) break;
  }
  return { task, problems, records: await recordsOf(journal.driver) };
}

describe("with writes of any duration", () => {
  test.prop([fc.scheduler(), fc.array(eventArbitrary, { maxLength: 30 })])(
    "L11: a commit is durable before its effects start and before it is published; L2: records and published commits fold to the log",
    async (scheduler, events) => {
      const { task, problems, records } = await run(scheduler, events, []);
      expect(problems).toEqual([]);
      const messages = task.snapshot().context.log.toArray();
      expect(publishedMessages(task.published)).toEqual(messages);
      expect(messagesOf(records)).toEqual(messages);
      expect(task.published.every(({ durable }) => durable)).toBe(true);
    },
  );

  test.prop([
    fc.scheduler(),
    fc.array(eventArbitrary, { maxLength: 30 }),
    fc.array(fc.boolean(), { maxLength: 12 }),
  ])(
    "L11: and any failed writes, no effect starts early, no commit is lost and the order stays",
    async (scheduler, events, faults) => {
      const { task, problems, records } = await run(scheduler, events, faults);
      expect(problems).toEqual([]);
      const messages = task.snapshot().context.log.toArray();
      expect(publishedMessages(task.published)).toEqual(messages);
      expect(messagesOf(records)).toEqual(messages);
      const failures = faults.filter((fails) => fails).length;
      expect(task.published.filter(({ durable }) => !durable).length).toBeLessThanOrEqual(failures);
    },
  );
});
