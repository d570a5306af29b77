import {
  type ActorLogic,
  type ActorScope,
  type AnyActorLogic,
  createActor,
  type EventObject,
  type ExecutableActionObject,
  type Snapshot,
} from "xstate";

/** A transition of a machine: the next snapshot, and the actions that its caller executes. */
export type Transition<TSnapshot, TEvent> = (
  snapshot: TSnapshot,
  event: TEvent,
) => readonly [snapshot: TSnapshot, actions: readonly ExecutableActionObject[]];

/**
 * The function `transition` of XState for a machine that only assigns and names actions. XState creates an actor for each
 * transition, which takes longer than the transition itself; this function creates one.
 *
 * @param input Any input of the machine. The snapshots do not depend on it.
 */
export function transitionsOf<TSnapshot extends Snapshot<unknown>, TEvent extends EventObject, TInput>(
  machine: ActorLogic<TSnapshot, TEvent, TInput>,
  input?: TInput,
): Transition<TSnapshot, TEvent> {
  const self = createActor<AnyActorLogic>(machine, { input });
  let actions: ExecutableActionObject[] = [];
  const ignore = (): void => {};
  const scope: ActorScope<TSnapshot, TEvent> = {
    self,
    system: self.system,
    id: self.id,
    sessionId: self.sessionId,
    logger: ignore,
    defer: ignore,
    emit: ignore,
    stopChild: ignore,
    actionExecutor: (action) => {
      actions.push(action);
    },
  };
  return (snapshot, event) => {
    actions = [];
    return [machine.transition(snapshot, event, scope), actions];
  };
}
