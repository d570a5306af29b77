import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { TaskEvent } from "../../../machines/task/index.ts";
import { type JournalDriver, JournalError, memoryJournal } from "../../../store/journal/index.ts";
import type { JournalRecord } from "../../../wire/index.ts";
import {
  begin,
  cancel,
  type Desk,
  delta,
  moveSilently,
  openDesk,
  preview,
  recordsOf,
  rowsOf,
  rowsShown,
  said,
  textEnd,
} from "./test-task.ts";

const eventArbitrary: fc.Arbitrary<TaskEvent> = fc.oneof(
  fc.constantFrom("x", "yy", "é").map(said),
  { weight: 3, arbitrary: fc.constantFrom("a", "bc", "\n").map(delta) },
  fc.constantFrom("p", "pq").map(preview),
  { weight: 2, arbitrary: fc.constant(textEnd) },
  { weight: 2, arbitrary: fc.constant(begin()) },
  fc.constant(cancel),
  fc.constant(moveSilently),
);

/** A journal whose writes take the time that the scheduler gives them, and fail as `faults` says. */
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

/** Watches every commit as it is shown and every effect as it begins. */
function watch(desk: Desk, durable: () => readonly JournalRecord[]) {
  const problems: string[] = [];
  let newest = 0;
  desk.gate.onShown(({ seq, durable: isDurable, commit }) => {
    if (isDurable && !durable().some((record) => record.seq === seq)) problems.push(`${seq} shown too early`);
    if (!isDurable && !commit.after.startsWith("resumable"))
      problems.push(`${seq} shown, not durable, no rest`);
    if (seq < newest) problems.push(`${seq} shown after ${newest}`);
    newest = seq;
  });
  const push = desk.began.push.bind(desk.began);
  desk.began.push = (id) => {
    const started = durable().some(
      (record) =>
        record.kind === "commit" &&
        record.effects?.some((effect) => effect.type === "effect.started" && effect.id === id),
    );
    if (!started) problems.push(`${id} began before its decision was durable`);
    if (desk.began.includes(id)) problems.push(`${id} began twice`);
    if (desk.snapshot().context.call !== id) problems.push(`${id} began after its stop`);
    return push(id);
  };
  return problems;
}

async function play(scheduler: fc.Scheduler, events: readonly TaskEvent[], faults: readonly boolean[]) {
  const journal = scheduledJournal(scheduler, faults);
  const desk = openDesk(journal.driver);
  const problems = watch(desk, journal.durable);
  scheduler.scheduleSequence(
    [...events, textEnd].map((event) => async () => {
      desk.send(event);
      if (desk.began.length % 2 === 1) desk.finish.get(desk.began.at(-1) ?? "")?.();
    }),
  );
  await scheduler.waitIdle();
  // Each attempt uses up a fault, so this ends.
  for (let attempt = 0; attempt <= faults.length; attempt += 1) {
    const flushed = desk.gate.flushed().then(
      () => true,
      () => false,
    );
    await scheduler.waitIdle();
    if (await flushed) break;
  }
  return { desk, problems, records: await recordsOf(journal.driver) };
}

describe("however long the writes take", () => {
  test.prop([fc.scheduler(), fc.array(eventArbitrary, { maxLength: 30 })])(
    "L11: a commit is durable before its effects start and before it is shown; L2: records and shown commits fold to the log",
    async (scheduler, events) => {
      const { desk, problems, records } = await play(scheduler, events, []);
      expect(problems).toEqual([]);
      const rows = desk.snapshot().context.log.toArray();
      expect(rowsShown(desk.shown)).toEqual(rows);
      expect(rowsOf(records)).toEqual(rows);
      expect(desk.shown.every(({ durable }) => durable)).toBe(true);
    },
  );

  test.prop([
    fc.scheduler(),
    fc.array(eventArbitrary, { maxLength: 30 }),
    fc.array(fc.boolean(), { maxLength: 12 }),
  ])(
    "L11: and whichever of them fail, nothing of it is released, nothing is lost and the order stays",
    async (scheduler, events, faults) => {
      const { desk, problems, records } = await play(scheduler, events, faults);
      expect(problems).toEqual([]);
      const rows = desk.snapshot().context.log.toArray();
      expect(rowsShown(desk.shown)).toEqual(rows);
      expect(rowsOf(records)).toEqual(rows);
      const failures = faults.filter((fails) => fails).length;
      expect(desk.shown.filter(({ durable }) => !durable).length).toBeLessThanOrEqual(failures);
    },
  );
});
