import type { TaskEvent } from "../../machines/task/task.events.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { derivationLaw, type LawCheck } from "../../runtime/breakpoints/macrosteps.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskSnapshot } from "../../runtime/task/task-view.ts";
import { explain } from "../../visualize/trace/explain/explain.ts";
import { possibleEvents } from "../../visualize/trace/explain/possible-events.ts";
import type { LiveEvents } from "../../visualize/trace/live/live-events.ts";
import type { ExplainBody, Explained, Explanation, SupposedEvent } from "../../wire/http/explanation.ts";
import { ServerError } from "../error.ts";

/** The states of the machine around a record. */
interface Around {
  /** Absent: only the state after it is known. */
  readonly before?: TaskSnapshot;
  readonly after: TaskSnapshot;
}

/** The state of the machine after a record. */
export interface TaskMoment {
  readonly record: number;
  readonly snapshot: TaskSnapshot;
}

/**
 * The state of an open task after a record; after the newest one by default.
 *
 * @throws ServerError `MOMENT_UNKNOWN` if it was not kept
 */
export function momentOf(task: Task, live: LiveEvents, record = live.newestRecord): TaskMoment {
  if (record === undefined) throw unknownMoment(task.id, record);
  return { record, snapshot: around(task, live, record).after };
}

/**
 * Explain a record of an open task, or suppose an event after it. Nothing is executed or recorded.
 *
 * @throws ServerError `MOMENT_UNKNOWN` if the machine's state at the record was not kept, `BODY_INVALID` if the machine
 * can't process the event
 */
export function explainTask(
  task: Task,
  live: LiveEvents,
  { record = live.newestRecord, event: supposed }: ExplainBody,
  laws: LawCheck = derivationLaw,
): Explained {
  const { before, after } = around(task, live, record);
  const events = possibleEvents(after).map((event) => ({ ...event }));
  const seq = record ?? 0;
  if (supposed !== undefined)
    return { explanation: suppose({ before: after, event: supposed, record: seq + 1, laws }), events };
  const { cause } = after.context;
  const isKnown = before !== undefined && cause !== undefined;
  return { explanation: isKnown ? explain({ before, event: cause, record: seq, laws }) : null, events };
}

function around(task: Task, live: LiveEvents, record: number | undefined): Around {
  const kept = record === undefined ? undefined : live.macrostepOf(record);
  if (kept !== undefined) return kept;
  if (record === live.newestRecord) return { after: task.snapshot };
  // The record was the newest when the inspection began, as an ask whose task is opened in a page to answer it.
  const next = record === undefined ? undefined : live.macrostepAfter(record);
  if (next !== undefined) return { after: next.before };
  throw unknownMoment(task.id, record);
}

const unknownMoment = (taskId: string, record: number | undefined): ServerError =>
  new ServerError(
    "MOMENT_UNKNOWN",
    `The machine's state around record ${record ?? "0"} of task ${taskId} was not kept. It is kept of the newest records, while a stream with microsteps=true is open. Suppose an event after the newest record, or explain a later one.`,
  );

interface Supposition {
  readonly before: TaskSnapshot;
  readonly event: SupposedEvent;
  readonly record: number;
  readonly laws: LawCheck;
}

function suppose({ event, before, ...rest }: Supposition): Explanation {
  if (!TYPES.has(event.type)) throw unknownEvent(event);
  const at = typeof event.at === "number" ? event.at : (before.context.cause?.at ?? 0);
  try {
    // The machine rejects what is no event of its protocol: by its guards, or by an error.
    return explain({ ...rest, before, event: { ...event, at } as TaskEvent });
  } catch (error) {
    throw unknownEvent(event, error);
  }
}

const TYPES: ReadonlySet<string> = new Set(taskMachine.events);

const unknownEvent = (event: SupposedEvent, cause?: unknown): ServerError =>
  new ServerError(
    "BODY_INVALID",
    `Expected an event that the machine takes, got ${JSON.stringify(event).slice(0, 200)}. Choose one of the events of an explanation, and change its fields.`,
    { cause },
  );
