import { tracePage } from "../../server/page/trace-page.ts";
import { memoryJournal } from "../../store/journal/memory.ts";
import { readJournal } from "../../store/journal/reader.ts";
import type { PathEvent } from "../../verify/graph.ts";
import { eventLine } from "../../verify/trace.ts";
import { traceOfJournal } from "../../visualize/trace/recording/trace-of-journal.ts";
import { microstepOf } from "../../visualize/trace/transitions/microstep.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import type { FoundViolation } from "./found-violation.ts";
import { createViolationStore } from "./journal.ts";

/**
 * Create the visual debugger of a violation in one file, opened at the transition that breaks the law.
 * @throws TracePageError `PAGE_NOT_BUILT`
 */
export async function createViolationPage({
  violation,
  machine,
  input,
  test,
}: FoundViolation): Promise<string> {
  const { store, taken, lastStep } = await createViolationStore(violation, machine, input);
  const driver = memoryJournal({ store });
  const records: JournalRecord[] = [];
  for await (const record of readJournal(driver, { onTail: () => {} })) records.push(record);
  const { law, title, what, path } = violation;
  const trace = traceOfJournal(records).map((event) => {
    const microsteps = taken
      .get(event.record.seq)
      ?.map((transition) => microstepOf(transition.eventType, [transition]));
    return microsteps === undefined ? event : { ...event, microsteps };
  });
  const seq = trace.find(({ record }) => record.seq === lastStep)?.seq;
  return tracePage(trace, {
    title: `${law}: ${what}`,
    at: seq ?? trace.length - 1,
    counterexample: {
      law,
      title,
      what,
      event: eventText(path.at(-1)),
      ...(seq !== undefined && { seq }),
      ...(test !== undefined && { test: test() }),
    },
  });
}

function eventText(event: PathEvent | undefined): string {
  if (event === undefined) return "the start of the task";
  return event.type === "process.crashed" ? "the end of the process" : eventLine(event);
}
