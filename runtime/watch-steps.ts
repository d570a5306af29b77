import type { ActorRefFrom } from "xstate";
import type { TaskEmitted, taskMachine } from "../machines/task/index.ts";
import { dottedPath } from "../store/index.ts";
import type { Reached } from "./breakpoints.ts";
import type { LawCheck, TaskPosition } from "./law-check.ts";
import type { TaskSnapshot } from "./shown-task.ts";

/** Tells where a task's actor is after each macrostep, and which of the laws that broke, if any are given. */
export function watchSteps(
  actor: Pick<ActorRefFrom<typeof taskMachine>, "on" | "subscribe" | "getSnapshot">,
  laws: LawCheck | undefined,
  listener: (reached: Reached) => void,
): () => void {
  const check = laws?.(positionOf(actor.getSnapshot()));
  let emitted: TaskEmitted[] = [];
  const pieces = actor.on("*", (piece) => emitted.push(piece));
  // XState tells its observers last, after all that the macrostep emitted.
  const snapshots = actor.subscribe({
    next(snapshot) {
      const step = { ...positionOf(snapshot), emitted };
      emitted = [];
      const broken = check?.(step);
      listener({ state: step.state, ...(broken !== undefined && { broken }) });
    },
  });
  return () => {
    pieces.unsubscribe();
    snapshots.unsubscribe();
  };
}

const positionOf = ({ value, context }: TaskSnapshot): TaskPosition => ({
  state: dottedPath(value),
  log: context.log,
  conversation: context.conversation,
});
