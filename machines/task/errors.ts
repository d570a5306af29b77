import { SignalboxError } from "../signalbox-error.ts";

/** The machine was started without one of its edge actors. */
export class ActorNotProvidedError extends SignalboxError {
  /** The task machine started without one of its actors. Call `taskMachine.provide({ actors })`. */
  readonly code = "ACTOR_NOT_PROVIDED";
  constructor(name: string) {
    super(`The task machine was started without its "${name}" actor: call taskMachine.provide({ actors }).`);
    this.name = "ActorNotProvidedError";
  }
}

/** The machine found itself where it can't be: a defect of ours. It puts the task's actor in `error`. */
export class BrokenInvariantError extends SignalboxError {
  /** The machine reached a state that must not occur. Report it with the journal of the task. */
  readonly code = "BROKEN_INVARIANT";
  constructor(what: string) {
    super(`Broken invariant: ${what}. Please report this with the task's journal.`);
    this.name = "BrokenInvariantError";
  }
}
