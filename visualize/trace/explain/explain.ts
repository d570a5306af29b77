import { getMicrosteps, type SnapshotFrom } from "xstate";
import { dottedPath } from "../../../machines/message/states.ts";
import { emittedBy, emptyParts, partsOf } from "../../../machines/task/commit.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import type { taskMachine } from "../../../machines/task/task.machine.ts";
import type { LawCheck } from "../../../runtime/breakpoints/macrosteps.ts";
import type { ExplainedStep, Explanation } from "../../../wire/http/explanation.ts";
import { compactCause } from "../../../wire/journal/cause.ts";
import { journalRecordSchema } from "../../../wire/journal/record.ts";
import { candidatesOf, guardsOn } from "./candidates.ts";

type TaskSnapshot = SnapshotFrom<typeof taskMachine>;

/** A question about a macrostep: of this event, from this state. */
export interface Question {
  /** The machine's state before the event. It is not changed. */
  readonly before: TaskSnapshot;
  readonly event: TaskEvent;
  /** The number of the record that the event appends. */
  readonly record: number;
  readonly laws: LawCheck;
}

/**
 * Compute what an event does: its microsteps with all candidates, the record that it appends, and a law that it breaks.
 * Nothing is executed.
 *
 * @throws Error of the machine, for an event that is none of its protocol
 */
export function explain({ before, event, record, laws }: Question): Explanation {
  const microsteps = getMicrosteps(before.machine, before, event);
  const steps: ExplainedStep[] = [];
  const emitted: TaskEmitted[] = [];
  let snapshot = before;
  for (const [position, [next, actions]] of microsteps.entries()) {
    steps.push(stepOf(snapshot, event, position === 0 ? event.type : ""));
    emitted.push(...emittedBy(actions));
    snapshot = next;
  }
  if (snapshot.status === "error") throw snapshot.error;
  const from = dottedPath(before.value);
  const after = dottedPath(snapshot.value);
  const parts = partsOf(emitted);
  const broken = laws(positionOf(before))({ ...positionOf(snapshot), emitted });
  return {
    source: "machine",
    event: event.type,
    before: from,
    after,
    steps,
    ...(parts !== undefined && {
      record: journalRecordSchema.parse({
        seq: record,
        kind: "commit",
        at: event.at,
        cause: compactCause(event),
        before: from,
        after,
        ...emptyParts,
        ...parts,
      }),
    }),
    ...(broken !== undefined && { broken: { ...broken } }),
  };
}

const stepOf = ({ value, context }: TaskSnapshot, event: TaskEvent, type: string): ExplainedStep => {
  const state = dottedPath(value);
  return { state, event: type, candidates: [...candidatesOf(state, type, guardsOn({ context, event }))] };
};

const positionOf = ({ value, context }: TaskSnapshot) => ({
  state: dottedPath(value),
  log: context.log,
  conversation: context.conversation,
});
