import { type TracePageOptions, tracePage } from "../../server/page/trace-page.ts";
import { memoryJournal } from "../../store/journal/memory.ts";
import { readJournal } from "../../store/journal/reader.ts";
import type { PathEvent } from "../../verify/graph.ts";
import { eventLine } from "../../verify/trace.ts";
import { traceOfJournal } from "../../visualize/trace/recording/trace-of-journal.ts";
import type { TraceEvent } from "../../visualize/trace/trace-event.ts";
import { microstepOf } from "../../visualize/trace/transitions/microstep.ts";
import type { Verification } from "../../wire/http/verification.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import type { FoundViolation } from "./found-violation.ts";
import { createViolationStore } from "./journal.ts";

/**
 * Create the visual debugger of a violation in one file, opened at the transition that breaks the law.
 * @throws TracePageError `PAGE_NOT_BUILT`
 */
export async function createViolationPage(found: FoundViolation): Promise<string> {
  const { events, options } = await violationTrace(found);
  return tracePage(events, options);
}

/**
 * Create the page of a verification in one file, with the path to the violation `found`, if there is one.
 * @throws TracePageError `PAGE_NOT_BUILT`
 */
export async function createReportPage(
  verification: Verification,
  found: FoundViolation | undefined,
): Promise<string> {
  if (found === undefined) return tracePage([], { title: "Verification", verification });
  const { events, options } = await violationTrace(found);
  return tracePage(events, { ...options, verification });
}

interface ViolationTrace {
  readonly events: readonly TraceEvent[];
  readonly options: TracePageOptions;
}

async function violationTrace({ violation, machine, input, test }: FoundViolation): Promise<ViolationTrace> {
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
  return {
    events: trace,
    options: {
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
    },
  };
}

function eventText(event: PathEvent | undefined): string {
  if (event === undefined) return "the start of the task";
  return event.type === "process.crashed" ? "the end of the process" : eventLine(event);
}
