import type { BackgroundSubtask } from "../../machines/task/task.events.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { readJournal } from "../../store/journal/reader.ts";
import { TemporalError } from "../../tools/temporal/error.ts";
import type { PolicyEvent, ProtocolDecision } from "../../tools/temporal/event.ts";
import { type RecordedStep, TaskEvents } from "../../tools/temporal/task-events.ts";
import type { JournalHeader, JournalRecord } from "../../wire/journal/record.ts";

/** Opens the journal of a task for reading. */
export type OpenJournal = (taskId: string) => Pick<JournalDriver, "path" | "read">;

type Parent = JournalHeader["parent"];

/** Maximum nesting of subtasks and forks whose journals are read for one task. */
const DEPTH_MAX = 32;

/**
 * Reads from journals what happened in a task, above it until it was started, and in its subtasks that ended. What judges
 * a call before it starts and what checks a recorded journal both read it here (law ONE).
 */
export class TaskHistory {
  readonly #journal: OpenJournal;

  constructor(journal: OpenJournal) {
    this.#journal = journal;
  }

  /** A reader of the commits of one task. `workspace`: the workspace in its header. */
  reader(workspace: string | undefined, depth = 0): TaskReader {
    const events = new TaskEvents(workspace === undefined ? {} : { workspace });
    return new TaskReader(this, events, depth);
  }

  /** The events above a task: of its parent until the call that started it, and of the tasks above that. */
  async *above(parent: Parent, depth = 0): AsyncGenerator<PolicyEvent> {
    if (parent === undefined) return;
    assertDepth(depth);
    const { taskId, callId } = parent;
    let reader = this.reader(undefined, depth);
    for await (const record of this.#records(taskId)) {
      if (record.kind === "header") {
        reader = this.reader(record.workspace, depth);
        yield* this.above(await this.#parentOf(record), depth + 1);
      }
      if (record.kind !== "commit") continue;
      yield* eventsOf(taskId, reader.eventsIn(record));
      if (record.calls.some((call) => call.callId === callId && call.phase === "delegated")) return;
    }
    throw new TemporalError(
      "POLICY_HISTORY",
      `the journal of task ${taskId} does not have the call ${callId}`,
    );
  }

  /** The events of a task up to a record, with those above it. `reader` reads them, and the commits after them. */
  async *until(taskId: string, lastSeq: number, reader: TaskReader): AsyncGenerator<PolicyEvent> {
    for await (const record of this.#records(taskId)) {
      if (record.seq > lastSeq) return;
      if (record.kind === "header") yield* this.above(await this.#parentOf(record), 1);
      if (record.kind === "commit") yield* reader.eventsIn(record);
    }
  }

  /** All events of a task, with those above it and in its subtasks. */
  async *of(taskId: string): AsyncGenerator<PolicyEvent> {
    const header = await this.#headerOf(taskId, true);
    yield* this.until(taskId, Number.POSITIVE_INFINITY, this.reader(header?.workspace));
  }

  /** The events of a subtask, with the events of its own subtasks. */
  async *within(taskId: string, depth: number): AsyncGenerator<PolicyEvent> {
    assertDepth(depth);
    let reader = this.reader(undefined, depth);
    for await (const record of this.#records(taskId)) {
      if (record.kind === "header") reader = this.reader(record.workspace, depth);
      if (record.kind === "commit") yield* eventsOf(taskId, reader.eventsIn(record));
    }
  }

  /** The parent of a task; a fork has the parent of its original. */
  async #parentOf(header: JournalHeader): Promise<Parent> {
    let found = header;
    for (let depth = 0; found.parent === undefined && found.forkedFrom !== undefined; depth += 1) {
      assertDepth(depth);
      const { taskId } = found.forkedFrom;
      // The name of a subtask ends with a dot and a number. Another original may be gone.
      const isSubtask = /\.\d+$/.test(taskId);
      const original = await this.#headerOf(taskId, isSubtask);
      if (original === undefined) return undefined;
      found = original;
    }
    return found.parent;
  }

  async #headerOf(taskId: string, isRequired: boolean): Promise<JournalHeader | undefined> {
    for await (const record of this.#records(taskId, isRequired)) if (record.kind === "header") return record;
    return undefined;
  }

  async *#records(taskId: string, isRequired = true): AsyncGenerator<JournalRecord> {
    let isEmpty = true;
    for await (const record of readJournal(this.#journal(taskId), { onTail: () => undefined })) {
      isEmpty = false;
      yield record;
    }
    if (isEmpty && isRequired)
      throw new TemporalError("POLICY_HISTORY", `the journal of task ${taskId} is missing`);
  }
}

/** Reads the commits of one task, in order. The end of a subtask brings what happened in it. */
class TaskReader {
  readonly #history: TaskHistory;
  readonly #events: TaskEvents;
  readonly #depth: number;
  /** The subtasks that calls wait for, by the calls' ids. */
  readonly #children = new Map<string, string>();
  /** The ids of the calls whose subtasks work in the background. */
  #inBackground: ReadonlySet<string> = new Set();

  constructor(history: TaskHistory, events: TaskEvents, depth: number) {
    this.#history = history;
    this.#events = events;
    this.#depth = depth;
  }

  /** The newest decision of the control protocol about a call of the turn. */
  decisionAbout(callId: string): ProtocolDecision {
    return this.#events.decisionAbout(callId);
  }

  async *eventsIn(step: RecordedStep): AsyncGenerator<PolicyEvent> {
    const { backgroundSubtasks } = step.facts ?? {};
    const inBackground =
      backgroundSubtasks === undefined ? this.#inBackground : new Set(workingIn(backgroundSubtasks));
    for (const call of step.calls) {
      if (call.phase === "delegated") this.#children.set(call.callId, call.childId);
      if (call.phase === "settled" && !inBackground.has(call.callId)) yield* this.#eventsOf(call.callId);
    }
    for (const callId of this.#inBackground) if (!inBackground.has(callId)) yield* this.#eventsOf(callId);
    this.#inBackground = inBackground;
    yield* this.#events.eventsIn(step);
  }

  /** The events of the subtask of a call, at its end. */
  async *#eventsOf(callId: string): AsyncGenerator<PolicyEvent> {
    const child = this.#children.get(callId);
    if (child === undefined) return;
    this.#children.delete(callId);
    yield* this.#history.within(child, this.#depth + 1);
  }
}

export type { TaskReader };

const workingIn = (subtasks: readonly BackgroundSubtask[]): readonly string[] =>
  subtasks.flatMap(({ callId, end }) => (end === undefined ? [callId] : []));

/** The events of another task, with its id. The events of its subtasks have their ids. */
async function* eventsOf(task: string, events: AsyncIterable<PolicyEvent>): AsyncGenerator<PolicyEvent> {
  for await (const event of events) yield event.task === undefined ? { ...event, task } : event;
}

function assertDepth(depth: number): void {
  if (depth > DEPTH_MAX)
    throw new TemporalError("POLICY_HISTORY", `subtasks and forks are nested deeper than ${DEPTH_MAX}`);
}
