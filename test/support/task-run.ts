import { type Actor, createActor } from "xstate";
import { detectAgentState } from "../../machines/message/detect.ts";
import { dottedPath } from "../../machines/message/states.ts";
import { StateTracker } from "../../machines/message/tracker.ts";
import type { ReopenedTask, TaskContext, TaskInput } from "../../machines/task/task.context.ts";
import type { TaskEmitted, TaskEvent } from "../../machines/task/task.events.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { type Crash, reopenedAfter } from "../../verify/crash.ts";
import { ALL_LAWS, type PathEvent, type View } from "../../verify/index.ts";
import { formatCrash, formatStep } from "../../verify/trace.ts";
import { firstView, reopenedView, viewAfter } from "../../verify/view.ts";
import { silentActors } from "./silent-actors.ts";

/** A violated law, with the trace that led to it. */
export interface LawViolation {
  readonly law: string;
  readonly what: string;
  readonly trace: string;
}

/** A macrostep with its state, or a crash. */
export type RunStep =
  | { readonly event: TaskEvent; readonly emitted: readonly TaskEmitted[]; readonly state: string }
  | { readonly crash: Crash };

/**
 * One task with an XState actor per process. The laws are checked after every macrostep.
 */
export class TaskRun {
  readonly violations: LawViolation[] = [];
  readonly #machine: typeof taskMachine;
  readonly #input: TaskInput;
  readonly #emitted: TaskEmitted[] = [];
  readonly #steps: RunStep[] = [];
  readonly #states: string[] = [];
  readonly #fresh: TaskContext;
  #tracker = new StateTracker();
  #actor: Actor<typeof taskMachine>;
  #view: View;
  /** The recorded task with which the current process starts. */
  #reopened: ReopenedTask | undefined;

  constructor(input: Partial<TaskInput> = {}, actors: Partial<typeof silentActors> = {}) {
    this.#machine = taskMachine.provide({ actors: { ...silentActors, ...actors } });
    this.#input = { taskId: "t", ...input };
    this.#actor = this.#spawn(this.#input);
    this.#view = firstView(this.#position);
    this.#fresh = this.#view.context;
    this.#actor.start();
  }

  get actor(): Actor<typeof taskMachine> {
    return this.#actor;
  }

  get view(): View {
    return this.#view;
  }

  /** The states after each macrostep. */
  get states(): readonly string[] {
    return this.#states;
  }

  /** All macrosteps so far as text. */
  get trace(): string {
    return this.#steps
      .map((step) =>
        "crash" in step ? formatCrash(step.crash) : formatStep(step.event, step.emitted, step.state),
      )
      .join("\n");
  }

  /** All macrosteps and crashes so far. */
  get steps(): readonly RunStep[] {
    return this.#steps;
  }

  send(event: TaskEvent): void {
    this.#actor.send(event);
  }

  play(pathEvent: PathEvent): void {
    if (pathEvent.type === "process.crashed") this.crash(pathEvent);
    else this.send(pathEvent);
  }

  /** End the process in the view `from`, by default now, and reopen the task from its recorded state with more `input`. */
  crash(crash: Crash, from: View = this.#view, input: Partial<TaskInput> = {}): void {
    this.#actor.stop();
    const reopened = reopenedAfter(from, crash);
    this.#view = reopenedView(from, reopened, this.#fresh);
    this.#tracker = new StateTracker(reopened.log);
    this.#steps.push({ crash });
    this.#reopened = reopened;
    this.#actor = this.#spawn({ ...this.#input, ...input, reopened });
    this.#actor.start();
    this.#reopened = undefined;
  }

  #spawn(input: TaskInput): Actor<typeof taskMachine> {
    const actor = createActor(this.#machine, { input });
    actor.on("*", (event) => this.#emitted.push(event));
    actor.subscribe({
      next: () => this.#settle(),
      error: (error) => this.#break("INVARIANT", String(error)),
    });
    return actor;
  }

  #settle(): void {
    const emitted = this.#emitted.splice(0);
    const before = this.#view;
    const after = viewAfter(before, emitted, this.#position);
    this.#view = after;
    const { cause } = after.context;
    if (emitted.length === 0 || cause === undefined) return;
    this.#steps.push({ event: cause, emitted, state: after.state });
    this.#states.push(after.state);
    const reopened = this.#reopened;
    const step = { before, event: cause, after, emitted, ...(reopened !== undefined && { reopened }) };
    for (const law of ALL_LAWS) {
      const what = law.violation(step);
      if (what !== undefined) this.#break(law.id, what);
    }
    this.#track(emitted);
  }

  /** L2: a tracker of the events has the state that the log means. */
  #track(emitted: readonly TaskEmitted[]): void {
    for (const event of emitted) {
      if (!event.type.startsWith("message.") || !("message" in event || "ts" in event)) continue;
      const { state } = this.#tracker.apply(event);
      const detected = detectAgentState(this.#tracker.log).state;
      if (state !== detected) this.#break("L2", `the tracker's state is ${state}, its log means ${detected}`);
    }
    const { log } = this.#view.context;
    if (this.#tracker.info.state !== detectAgentState(log).state || this.#tracker.log.length !== log.length)
      this.#break("L2", "the tracker differs from the task");
  }

  get #position(): { state: string; context: TaskContext } {
    const { value, context } = this.#actor.getSnapshot();
    return { state: dottedPath(value), context };
  }

  #break(law: string, what: string): void {
    this.violations.push({ law, what, trace: `${law}: ${what}\n${this.trace}` });
  }
}
