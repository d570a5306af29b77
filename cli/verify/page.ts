import type { TaskInput } from "../../machines/task/task.context.ts";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import { tracePage } from "../../server/page/trace-page.ts";
import { memoryJournal } from "../../store/journal/memory.ts";
import { readJournal } from "../../store/journal/reader.ts";
import type { Violation } from "../../verify/exploration.ts";
import { traceOfJournal } from "../../visualize/trace/recording/trace-of-journal.ts";
import { microstepOf } from "../../visualize/trace/transitions/microstep.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { createViolationStore } from "./journal.ts";

/**
 * Create the visual debugger of a violation in one file, opened at its last transition, with the law that it breaks.
 * @throws TracePageError `PAGE_NOT_BUILT`
 */
export async function createViolationPage(
  violation: Violation,
  machine: typeof taskMachine,
  input?: Partial<TaskInput>,
): Promise<string> {
  const { store, taken } = await createViolationStore(violation, machine, input);
  const driver = memoryJournal({ store });
  const records: JournalRecord[] = [];
  for await (const record of readJournal(driver, { onTail: () => {} })) records.push(record);
  const { law, title, what } = violation;
  const trace = traceOfJournal(records).map((event) => {
    const microsteps = taken
      .get(event.record.seq)
      ?.map((transition) => microstepOf(transition.eventType, [transition]));
    return microsteps === undefined ? event : { ...event, microsteps };
  });
  return tracePage(trace, {
    title: `${law}: ${what}`,
    notice: `${law} (${title}): ${what}`,
    at: records.length - 1,
  });
}
