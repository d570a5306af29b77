import * as z from "zod";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { TaskInput } from "../../machines/task/task.context.ts";
import type { TaskEmitted } from "../../machines/task/task.events.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import type { ActorInputs } from "../../machines/task/task.setup.ts";
import { NOTHING_SPENT } from "../bounds.ts";
import type { CoverageMeter } from "../coverage.ts";
import { crashesAt } from "../environment.ts";
import { DEFAULT_BOUNDS } from "../exploration.ts";
import type { PathEvent } from "../graph.ts";
import { checkLaw, type Law, type Step, type View } from "../laws/law.ts";
import { ALL_LAWS } from "../laws/laws.ts";
import { MachineRunner, type MachineStep } from "../runner.ts";
import { type SettledState, Stepper, type StepResult } from "../stepper.ts";
import { createActors, type ScheduledEvent, type SimulatedActors, type Untimed } from "./actors.ts";
import { DEFAULT_FAULTS, type SimulatedFaults } from "./faults.ts";
import { readsAllowed, type SimulatedPolicy } from "./policy.ts";
import { Random } from "./random.ts";
import { randomScript, type SimulatedScript } from "./script.ts";
import { Timeline } from "./timeline.ts";
import { idleEvent, unsolicitedEvent } from "./user.ts";

type Machine = typeof taskMachine;

/** Options of {@link simulate}. */
export interface SimulateOptions {
  /** An integer. The same seed and options give the same log, byte for byte (L15). */
  readonly seed: number;
  /** Probabilities of faults. Default `DEFAULT_FAULTS`. */
  readonly faults?: Partial<SimulatedFaults>;
  /** Default: reads are allowed, everything else asks. */
  readonly policy?: SimulatedPolicy;
  /** Responses of the model. Default: a random script of up to three responses. */
  readonly script?: SimulatedScript;
  /** Default: the shipped machine. */
  readonly machine?: Machine;
  /** Laws to check in each macrostep. Default: all. */
  readonly laws?: readonly Law[];
  readonly input?: Partial<TaskInput>;
  /** Limit of events and crashes of the task. Default 1,000. */
  readonly eventsMax?: number;
}

/** A violated law and the path to it, accepted by `formatTrace` and `replay`. */
export interface SimulatedViolation {
  /** Id of the law; `L13` for a stuck task, `INVARIANT` for a machine that threw. */
  readonly law: string;
  readonly title: string;
  readonly what: string;
  readonly path: readonly PathEvent[];
}

/** The result of {@link simulate}. */
export interface Simulation {
  readonly seed: number;
  /** Input of the task, from the options, completed by the seed. */
  readonly input: TaskInput;
  /** Messages at the end. */
  readonly log: readonly ClineMessage[];
  /** Events and crashes, in order. */
  readonly path: readonly PathEvent[];
  /** Final state, as a dotted path. */
  readonly state: string;
  /** `completed`: result accepted; `left` by the user at rest; `cut` at `eventsMax`; `broken`: a law was violated. */
  readonly end: "completed" | "left" | "cut" | "broken";
  /** Macrosteps that changed something. Each was checked against every law. */
  readonly steps: number;
  readonly crashes: number;
  /** Simulated duration, in milliseconds. */
  readonly simulatedMs: number;
  readonly violation?: SimulatedViolation;
}

const EVENTS_MAX = 1_000;
const TURNS_MAX = 3;
/** Start of every simulation, in milliseconds since 1970. */
const EPOCH = 1_700_000_000_000;
const ANY_CRASH = { ...DEFAULT_BOUNDS, crashes: Number.POSITIVE_INFINITY };

/**
 * Simulate one task from start to end, with simulated actors, a simulated clock and a schedule chosen by the seed,
 * and with faults of the endpoint, tools, disk, process and user. Every macrostep is checked against the laws; the
 * first violation ends the simulation. No real time passes.
 *
 * @throws SimulationError if the policy returns a promise
 *
 * @example
 * ```ts
 * import { simulate } from "signalbox/verify";
 * const script = [{ text: "I look.", calls: [{ tool: "read_file", input: { path: "a" } }] }];
 * const one = simulate({ seed: 7, script });
 * const again = simulate({ seed: 7, script });
 * console.log(one.violation, JSON.stringify(one.log) === JSON.stringify(again.log)); // undefined true
 * ```
 */
export function simulate(options: SimulateOptions): Simulation {
  return new SimulatedTask(options).run();
}

/** {@link simulate} that records its coverage. */
export function simulateMetered(options: SimulateOptions, meter: CoverageMeter): Simulation {
  return new SimulatedTask(options, meter).run();
}

/** One runner per machine: its call sites stay monomorphic over thousands of tasks. */
const runners = new WeakMap<Machine, MachineRunner>();

function runnerOf(machine: Machine, input: TaskInput): MachineRunner {
  const known = runners.get(machine) ?? new MachineRunner(machine, input);
  runners.set(machine, known);
  return known;
}

const INVARIANT = { id: "INVARIANT", title: "the machine throws nothing" };

class SimulatedTask {
  readonly #seed: number;
  readonly #random: Random;
  readonly #faults: SimulatedFaults;
  readonly #actors: SimulatedActors;
  readonly #timeline = new Timeline<Untimed>(EPOCH);
  readonly #stepper: Stepper;
  readonly #laws: readonly Law[];
  readonly #input: TaskInput;
  readonly #eventsMax: number;
  readonly #meter: CoverageMeter | undefined;
  readonly #path: PathEvent[] = [];
  #at: SettledState;
  #steps = 0;
  #crashes = 0;
  #isCompleted = false;
  #violation: SimulatedViolation | undefined;

  constructor(options: SimulateOptions, meter?: CoverageMeter) {
    const {
      seed,
      policy = readsAllowed,
      machine = taskMachine,
      laws = ALL_LAWS,
      eventsMax = EVENTS_MAX,
    } = options;
    this.#seed = seed;
    this.#random = new Random(seed);
    this.#faults = { ...DEFAULT_FAULTS, ...options.faults };
    const script = options.script ?? randomScript(this.#random, TURNS_MAX);
    this.#actors = createActors(this.#random, this.#faults, policy, script);
    this.#laws = laws;
    this.#eventsMax = eventsMax;
    this.#meter = meter;
    this.#input = { taskId: "simulated", ...randomInput(this.#random), ...options.input };
    this.#stepper = new Stepper(runnerOf(machine, this.#input), this.#input);
    this.#at = this.#stepper.first;
    meter?.note(this.#stepper.firstTransitions, this.#at.snapshot);
  }

  get #view(): View {
    return this.#at.view;
  }

  run(): Simulation {
    this.#timeline.schedule("user", 0, { type: "task.start", text: "Make the tests pass", images: [] });
    while (this.#violation === undefined && this.#path.length < this.#eventsMax) {
      const event = this.#nextEvent();
      if (event === undefined) break;
      this.#step({ ...event, at: this.#timeline.now });
      if (this.#violation === undefined && this.#random.chance(this.#faults.crash)) this.#crash();
    }
    const { log } = this.#view.context;
    return {
      seed: this.#seed,
      input: this.#input,
      log: log.toArray(),
      path: this.#path,
      state: this.#view.state,
      end: this.#end(),
      steps: this.#steps,
      crashes: this.#crashes,
      simulatedMs: this.#timeline.now - EPOCH,
      ...(this.#violation !== undefined && { violation: this.#violation }),
    };
  }

  #end(): Simulation["end"] {
    if (this.#violation !== undefined) return "broken";
    if (this.#path.length >= this.#eventsMax) return "cut";
    return this.#isCompleted ? "completed" : "left";
  }

  /** The next event: a random one, a scheduled one, or the user's when none is scheduled. */
  #nextEvent(): Untimed | undefined {
    const { cancel, diskFails, interjects } = this.#faults;
    const random = this.#random;
    if (this.#path.length > 0) {
      if (random.chance(cancel)) return { type: "task.cancel", origin: "user" };
      if (random.chance(diskFails)) return { type: "journal.failed", message: "The disk is full." };
      if (random.chance(interjects)) return unsolicitedEvent(random, this.#view.context, this.#path.length);
    }
    const due = this.#timeline.next();
    if (due !== undefined) return due;
    if (this.#isCompleted) return undefined;
    this.#timeline.advance(60_000);
    const idle = idleEvent(random, this.#view);
    if (idle === "stuck")
      this.#fail(
        { id: "L13", title: "some event leads on" },
        `nothing can move a task in ${this.#view.state}`,
      );
    return idle === "stuck" || idle === "leaves" ? undefined : idle;
  }

  #step(pathEvent: PathEvent): void {
    this.#path.push(pathEvent);
    let result: StepResult;
    try {
      result = this.#stepper.step(this.#at, pathEvent);
    } catch (error) {
      this.#fail(INVARIANT, String(error));
      return;
    }
    const { snapshot, step, isChange, transitions, actions } = result;
    this.#meter?.note(transitions, snapshot);
    this.#meter?.noteCalls(step.emitted);
    if (!isChange) return;
    this.#at = { snapshot, view: step.after };
    this.#steps += 1;
    this.#check(step);
    this.#runEffects(actions, step.emitted);
  }

  /** Crash the process: scheduled events are lost, and the task is reopened from its journal. */
  #crash(): void {
    const crash = this.#random.pick(crashesAt(this.#view, NOTHING_SPENT, ANY_CRASH));
    if (crash === undefined) return;
    this.#timeline.clear();
    this.#timeline.advance(this.#random.below(120_000));
    this.#crashes += 1;
    this.#step({ ...crash, at: this.#timeline.now });
  }

  #check(step: Step): void {
    for (const law of this.#laws) {
      const what = checkLaw(step, law);
      if (what !== undefined && this.#violation === undefined) this.#fail(law, what);
    }
  }

  #fail({ id, title }: Pick<Law, "id" | "title">, what: string): void {
    this.#violation = { law: id, title, what, path: [...this.#path] };
  }

  /** Start and stop the simulated actors of a macrostep. */
  #runEffects(actions: MachineStep["actions"], emitted: readonly TaskEmitted[]): void {
    for (const { type, params } of actions) {
      if (type === "xstate.spawnChild" && isSpawned(params)) this.#start(params);
      if (type === "xstate.sendTo") this.#abort(params);
    }
    for (const event of emitted) {
      if (event.type === "effect.stopped")
        this.#timeline.cancel(event.id, () => this.#random.chance(this.#faults.late));
      if (event.type === "task.completed") this.#isCompleted = true;
      if (event.type === "effect.started" && event.effect === "context") this.#isCompleted = false;
    }
  }

  #start<K extends keyof ActorInputs>({ id, src, input }: Spawned<K>): void {
    let afterMs = 0;
    for (const scheduled of this.#eventsOf(src, input)) {
      afterMs += scheduled.afterMs;
      this.#timeline.schedule(id, afterMs, scheduled.event);
    }
  }

  #eventsOf<K extends keyof ActorInputs>(kind: K, input: ActorInputs[K]): readonly ScheduledEvent[] {
    const actor: SimulatedActors[K] = this.#actors[kind];
    return actor(input, this.#timeline.now);
  }

  /** An aborted command fails after its signal. */
  #abort(params: unknown): void {
    const id = Abort.safeParse(params).data?.targetId;
    if (id === undefined) return;
    this.#timeline.cancel(id, () => false);
    const command = { output: ".\n" };
    this.#timeline.schedule(id, 20, {
      type: "tool.failed",
      callId: id.slice("tool:".length),
      error: "killed",
      command,
    });
  }
}

/** Parameters of XState's spawn action. */
interface Spawned<K extends keyof ActorInputs = keyof ActorInputs> {
  readonly id: string;
  readonly src: K;
  readonly input: ActorInputs[K];
}

const isSpawned = (params: unknown): params is Spawned =>
  typeof params === "object" && params !== null && "src" in params && "input" in params;

/** Parameters of XState's action that sends `tool.abort`. */
const Abort = z.object({ targetId: z.string(), event: z.object({ type: z.literal("tool.abort") }) });

/** Sometimes with checkpoints, and with limits that are reached. */
const randomInput = (random: Random): Partial<TaskInput> => ({
  checkpoints: random.chance(0.3),
  ...(random.chance(0.15) && {
    limits: { requests: 2, mistakes: 1, retries: 1, repetitions: 1, queued: 1, background: 1 },
  }),
  completion: random.chance(0.5) ? "end_turn" : "tool",
});
