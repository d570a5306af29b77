import type { ActorRefFrom } from "xstate";
import type { Conversation } from "../../machines/conversation/conversation.ts";
import { detectAgentState } from "../../machines/message/detect.ts";
import type { Log } from "../../machines/message/log.ts";
import { dottedPath } from "../../machines/message/states.ts";
import type { TaskEmitted } from "../../machines/task/task.events.ts";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import { findCall } from "../../machines/task/turn.ts";
import type { TaskSnapshot } from "../task/task-view.ts";
import type { EventPlace } from "./event-breakpoint.ts";

/** A law that a macrostep broke. */
export interface BrokenLaw {
  /** The number of the law in docs/concepts/laws.md: `L8`. */
  readonly law: string;
  /** The rule of the law and the events that broke it, for people. */
  readonly reason: string;
}

/** The position of a task between two macrosteps. */
export interface TaskPosition {
  /** The machine's state as a dotted path. */
  readonly state: string;
  readonly log: Log;
  readonly conversation: Conversation;
}

/** The result of a macrostep. */
export interface Macrostep extends TaskPosition {
  /** The emitted parts of its commit, in order. */
  readonly emitted: readonly TaskEmitted[];
}

/**
 * Laws that are checked while a task runs. Called with the position at which the check begins; returns the check of each
 * macrostep from there on. Both run synchronously within the task's macrostep: they must be fast and must not throw.
 */
export type LawCheck = (now: TaskPosition) => (step: Macrostep) => BrokenLaw | undefined;

/** L1 alone, the only law of messages that needs no earlier position. */
export const derivationLaw: LawCheck =
  () =>
  ({ state, log }) => {
    const derived = detectAgentState(log).state;
    return state === derived || state.startsWith(`${derived}.`)
      ? undefined
      : { law: "L1", reason: `the machine is in ${state}, the messages mean ${derived}` };
  };

/** The machine's state after a macrostep. */
export interface ReachedState {
  /** As a dotted path. */
  readonly state: string;
  /** The law that the macrostep broke, where laws are checked. */
  readonly broken?: BrokenLaw;
}

/** Notify the listener after each macrostep of a task's actor. The returned function unsubscribes. */
export function observeMacrosteps(
  actor: Pick<ActorRefFrom<typeof taskMachine>, "on" | "subscribe" | "getSnapshot">,
  laws: LawCheck | undefined,
  listener: (reached: ReachedState) => void,
): () => void {
  const check = laws?.(positionOf(actor.getSnapshot()));
  let emitted: TaskEmitted[] = [];
  const emissions = actor.on("*", (event) => emitted.push(event));
  // XState notifies its observers after everything that the macrostep emitted.
  const snapshots = actor.subscribe({
    next(snapshot) {
      const step = { ...positionOf(snapshot), emitted };
      emitted = [];
      const broken = check?.(step);
      listener({ state: step.state, ...(broken !== undefined && { broken }) });
    },
  });
  return () => {
    emissions.unsubscribe();
    snapshots.unsubscribe();
  };
}

const positionOf = ({ value, context }: TaskSnapshot): TaskPosition => ({
  state: dottedPath(value),
  log: context.log,
  conversation: context.conversation,
});

/** The state of a task, and the tool of a call in its turn. */
export function placeOf({ value, context }: TaskSnapshot, callId: string | undefined): EventPlace {
  const tool = callId === undefined ? undefined : findCall(context, callId)?.name;
  return { state: dottedPath(value), ...(tool !== undefined && { tool }) };
}
