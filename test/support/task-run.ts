import { type Actor, createActor } from "xstate";
import { detectAgentState, StateTracker } from "../../machines/message/index.ts";
import { type TaskEmitted, type TaskEvent, type TaskInput, taskMachine } from "../../machines/task/index.ts";
import { ALL_LAWS, aliveAfter, pathOf, traceStep, type View } from "../../verify/index.ts";
import { silentActors } from "./silent-actors.ts";

/** A law that a run broke, and everything that led there. */
export interface Broken {
  readonly law: string;
  readonly what: string;
  readonly trace: string;
}

/** One task on a real actor, watched macrostep by macrostep: the laws are held against each. */
export class TaskRun {
  readonly actor: Actor<typeof taskMachine>;
  readonly broken: Broken[] = [];
  readonly #emitted: TaskEmitted[] = [];
  readonly #steps: [TaskEvent, readonly TaskEmitted[], string][] = [];
  readonly #tracker = new StateTracker();
  #view: View;

  constructor(input: Partial<TaskInput> = {}, actors: Partial<typeof silentActors> = {}) {
    const machine = taskMachine.provide({ actors: { ...silentActors, ...actors } });
    this.actor = createActor(machine, { input: { taskId: "t", ...input } });
    this.actor.on("*", (piece) => this.#emitted.push(piece));
    this.actor.subscribe({
      next: () => this.#settle(),
      error: (error) => this.#break("INVARIANT", String(error)),
    });
    this.actor.start();
    this.#view = this.#look(new Set());
  }

  get view(): View {
    return this.#view;
  }

  /** The states in which it has settled. */
  get states(): readonly string[] {
    return this.#steps.map(([, , state]) => state);
  }

  /** All macrosteps so far, as text. */
  get trace(): string {
    return this.#steps.map((step) => traceStep(...step)).join("\n");
  }

  send(event: TaskEvent): void {
    this.actor.send(event);
  }

  #settle(): void {
    const emitted = this.#emitted.splice(0);
    const before = this.#view ?? this.#look(new Set());
    const after = this.#look(aliveAfter(before.alive, emitted));
    this.#view = after;
    const { cause } = after.context;
    if (emitted.length === 0 || cause === undefined) return;
    this.#steps.push([cause, emitted, after.state]);
    for (const law of ALL_LAWS) {
      const what = law.violation({ before, event: cause, after, emitted });
      if (what !== undefined) this.#break(law.id, what);
    }
    this.#follow(emitted);
  }

  /** A client that hears of every change knows the state, without reading the log again (L2). */
  #follow(emitted: readonly TaskEmitted[]): void {
    for (const piece of emitted) {
      if (!piece.type.startsWith("message.") || !("message" in piece || "ts" in piece)) continue;
      const told = this.#tracker.apply(piece).state;
      const meant = detectAgentState(this.#tracker.log).state;
      if (told !== meant) this.#break("L2", `the tracker says ${told}, its log means ${meant}`);
    }
    const { log } = this.#view.context;
    if (this.#tracker.info.state !== detectAgentState(log).state || this.#tracker.log.length !== log.length)
      this.#break("L2", "a client that heard everything knows another state");
  }

  #look(alive: ReadonlySet<string>): View {
    const { value, context } = this.actor.getSnapshot();
    return { state: pathOf(value), context, alive };
  }

  #break(law: string, what: string): void {
    this.broken.push({ law, what, trace: `${law}: ${what}\n${this.trace}` });
  }
}
