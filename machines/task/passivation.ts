import type { Snapshot, SnapshotFrom } from "xstate";
import type { Conversation } from "../conversation/conversation.ts";
import { frozen } from "../list/frozen.ts";
import type { Log } from "../message/log.ts";
import { isAtRest } from "../message/states.ts";
import { askActorId } from "./asks.ts";
import { initialContext } from "./lifecycle.ts";
import type { TaskContext, TaskInput } from "./task.context.ts";
import { taskMachine } from "./task.machine.ts";

type TaskSnapshot = SnapshotFrom<typeof taskMachine>;
type PersistedActor = { readonly snapshot: Snapshot<unknown> };
type PersistedTask = Snapshot<unknown> & {
  readonly context: Partial<TaskContext>;
  readonly children: Readonly<Record<string, PersistedActor>>;
};

/** The parts of a task's context that its journal holds in full: they grow with the task. */
export interface RecordedLists {
  readonly log: Log;
  readonly conversation: Conversation;
}

/**
 * A task without actors (law PASSIVE): its snapshot as JSON, without the parts that the journal holds or the task's
 * input determines. {@link fromPassive} makes the snapshot again.
 */
export type PassiveTask = string;

/** Context that grows with the journal, is the same object in no two contexts, or that the input determines. */
const NOT_KEPT: ReadonlySet<string> = new Set([
  "log",
  "conversation",
  "limits",
  "taskId",
] satisfies (keyof TaskContext)[]);

/**
 * Whether nothing of the task works but its open ask: it is at rest or waits for input, no other actor runs, and no
 * result of a stopped call is awaited.
 */
export function isPassivatable({ status, value, context, children }: TaskSnapshot): boolean {
  const state = typeof value === "string" ? value : (Object.keys(value)[0] ?? "");
  const askId = context.ask === undefined ? undefined : askActorId(context.ask.id);
  return (
    status === "active" &&
    (isAtRest(state) || state === "waiting_for_input") &&
    Object.keys(children).every((id) => id === askId) &&
    context.turn.calls.every(({ phase, ask }) => phase !== "stopped" || ask === "completion_result")
  );
}

/**
 * The passive form of a task that {@link isPassivatable}. With an earlier snapshot it is the passive form of a fork, in
 * which the ask of that moment is open although it was answered since.
 *
 * @param input The input of the task, or of its fork, without `reopened`.
 */
export function toPassive(snapshot: TaskSnapshot, input: TaskInput): PassiveTask {
  const initial = initialContext({ input });
  const { context, children, ...rest } = taskMachine.getPersistedSnapshot(snapshot) as PersistedTask;
  const changed = Object.entries(context).filter(
    ([name, value]) => !NOT_KEPT.has(name) && !isEqual(value, initial[name as keyof TaskContext]),
  );
  return JSON.stringify({ ...rest, children: asActive(children), context: Object.fromEntries(changed) });
}

/** An actor of an earlier snapshot may have ended since. */
const asActive = (children: PersistedTask["children"]): PersistedTask["children"] =>
  Object.fromEntries(
    Object.entries(children).map(([id, child]) => [
      id,
      { ...child, snapshot: { ...child.snapshot, status: "active", output: undefined, error: undefined } },
    ]),
  );

const isEqual = (value: unknown, initial: unknown): boolean =>
  value === initial || JSON.stringify(value) === JSON.stringify(initial);

/**
 * The persisted snapshot of a passive task. An actor that is created with it continues the task: no transition is
 * taken and nothing is appended (law PASSIVE).
 *
 * @param input As given to {@link toPassive}.
 */
export function fromPassive(
  passive: PassiveTask,
  input: TaskInput,
  { log, conversation }: RecordedLists,
): Snapshot<unknown> {
  const persisted: PersistedTask = JSON.parse(passive);
  const context = { ...initialContext({ input }), ...frozen(persisted.context), log, conversation };
  const snapshot: PersistedTask = { ...persisted, context };
  return snapshot;
}
