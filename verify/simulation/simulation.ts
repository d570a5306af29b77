import { z } from "zod";
import type { ClineMessage } from "../../machines/message/index.ts";
import {
  type ActorInputs,
  type TaskEmitted,
  type TaskInput,
  taskMachine,
} from "../../machines/task/index.ts";
import type { CoverageMeter } from "../coverage.ts";
import { crashesAt, NOTHING_SPENT } from "../environment.ts";
import { DEFAULT_BOUNDS } from "../exploration.ts";
import type { PathEvent } from "../graph.ts";
import { ALL_LAWS, checkLaw, type Law, type Step, type View } from "../laws/index.ts";
import { MachineRunner, type Taken } from "../runner.ts";
import { type SettledState, Stepper, type StepResult } from "../stepper.ts";
import { type Said, simulateActors, type Untimed, type World } from "./actors.ts";
import { DEFAULT_FAULTS, type SimulatedFaults } from "./faults.ts";
import { readsAllowed, type SimulatedPolicy } from "./policy.ts";
import { Random } from "./random.ts";
import { randomScript, type SimulatedScript } from "./script.ts";
import { Timeline } from "./timeline.ts";
import { idleEvent, unsolicitedEvent } from "./user.ts";

type Machine = typeof taskMachine;

export interface SimulateOptions {
  /** A whole number. The same seed with the same options gives the same log, byte for byte (L15). */
  readonly seed: number;
  /** How likely each fault is; those that are not named, as in `DEFAULT_FAULTS`. */
  readonly faults?: Partial<SimulatedFaults>;
  /** Who may do what. Default: looking is allowed, all else is asked. */
  readonly policy?: SimulatedPolicy;
  /** What the model says. Default: a random script of up to three answers, by the seed. */
  readonly script?: SimulatedScript;
  /** Default: the shipped machine. */
  readonly machine?: Machine;
  /** What is held against each macrostep. Default: all laws. */
  readonly laws?: readonly Law[];
  readonly input?: Partial<TaskInput>;
  /** The most events and crashes of one task. Default 1,000. */
  readonly eventsMax?: number;
}

/** A law that a simulated task broke, and all that led there: `formatTrace` and `replay` take it. */
export interface SimulatedViolation {
  /** The law's number; L13 for a task that nothing can move, INVARIANT for a machine that threw. */
  readonly law: string;
  readonly title: string;
  readonly what: string;
  readonly path: readonly PathEvent[];
}

export interface Simulation {
  readonly seed: number;
  /** What the task began with: what the options say, and by the seed what they leave open. */
  readonly input: TaskInput;
  /** The task's rows at the end. */
  readonly log: readonly ClineMessage[];
  /** All that happened to the task, in order. */
  readonly path: readonly PathEvent[];
  /** The state at the end, as a dotted path. */
  readonly state: string;
  /** `completed`: a person accepted the result; `left`: it rests and nobody goes on; `cut` at `eventsMax`; `broken`. */
  readonly end: "completed" | "left" | "cut" | "broken";
  /** Macrosteps that changed something: each law was held against each. */
  readonly steps: number;
  readonly crashes: number;
  /** How long it took on the simulated clock, in milliseconds. */
  readonly simulatedMs: number;
  readonly violation?: SimulatedViolation;
}

const EVENTS_MAX = 1_000;
const TURNS_MAX = 3;
/** When every simulated task begins: milliseconds since 1970. */
const EPOCH = 1_700_000_000_000;
const ANY_CRASH = { ...DEFAULT_BOUNDS, crashes: Number.POSITIVE_INFINITY };

/**
 * Lives one whole task on the shipped machine, with simulated actors, a simulated clock and a schedule that the
 * seed chooses; with faults of the endpoint, the tools, the disk, the process and the user. The laws are held
 * against every macrostep, and the first that is broken ends it. Nothing waits for real time.
 *
 * @throws SimulationError where the policy answers with a promise
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
  return new SimulatedTask(options).live();
}

/** The same, noting on `meter` which states and rows of the machine's table were taken. */
export function simulateMetered(options: SimulateOptions, meter: CoverageMeter): Simulation {
  return new SimulatedTask(options, meter).live();
}

/** One for all tasks of a machine: what is run a thousand times a second must look the same each time. */
const forMany = new WeakMap<Machine, MachineRunner>();

function machineryOf(machine: Machine, input: TaskInput): MachineRunner {
  const known = forMany.get(machine) ?? new MachineRunner(machine, input);
  forMany.set(machine, known);
  return known;
}

const SOUND = { id: "INVARIANT", title: "the machine throws for no event" };

class SimulatedTask {
  readonly #seed: number;
  readonly #random: Random;
  readonly #faults: SimulatedFaults;
  readonly #world: World;
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
    this.#world = simulateActors(this.#random, this.#faults, policy, script);
    this.#laws = laws;
    this.#eventsMax = eventsMax;
    this.#meter = meter;
    this.#input = { taskId: "simulated", ...randomInput(this.#random), ...options.input };
    this.#stepper = new Stepper(machineryOf(machine, this.#input), this.#input);
    this.#at = this.#stepper.first;
    meter?.note(this.#stepper.firstTransitions, this.#at.snapshot);
  }

  get #view(): View {
    return this.#at.view;
  }

  live(): Simulation {
    this.#timeline.plan("user", 0, { type: "task.start", text: "Make the tests pass", images: [] });
    while (this.#violation === undefined && this.#path.length < this.#eventsMax) {
      const event = this.#nextEvent();
      if (event === undefined) break;
      this.#happen({ ...event, at: this.#timeline.now });
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

  /** What happens next: something that nobody asked for, what is due, or what a person does where nothing is. */
  #nextEvent(): Untimed | undefined {
    const { cancel, diskFails, interjects } = this.#faults;
    const random = this.#random;
    if (this.#path.length > 0) {
      if (random.chance(cancel)) return { type: "task.cancel" };
      if (random.chance(diskFails)) return { type: "journal.failed", message: "The disk is full." };
      if (random.chance(interjects)) return unsolicitedEvent(random, this.#view.context, this.#path.length);
    }
    const due = this.#timeline.next();
    if (due !== undefined) return due;
    if (this.#isCompleted) return undefined;
    this.#timeline.pass(60_000);
    const idle = idleEvent(random, this.#view);
    if (idle === "stuck")
      this.#break(
        { id: "L13", title: "some event leads on" },
        `nothing can move a task in ${this.#view.state}`,
      );
    return idle === "stuck" || idle === "leaves" ? undefined : idle;
  }

  #happen(pathEvent: PathEvent): void {
    this.#path.push(pathEvent);
    let stepped: StepResult;
    try {
      stepped = this.#stepper.step(this.#at, pathEvent);
    } catch (error) {
      this.#break(SOUND, String(error));
      return;
    }
    const { snapshot, step, isChange, rows, actions } = stepped;
    this.#meter?.note(rows, snapshot);
    if (!isChange) return;
    this.#at = { snapshot, view: step.after };
    this.#steps += 1;
    this.#hold(step);
    this.#follow(actions, step.emitted);
  }

  /** The process ends: whatever was on its way is lost, and the task is opened from what is remembered. */
  #crash(): void {
    const crash = this.#random.pick(crashesAt(this.#view, NOTHING_SPENT, ANY_CRASH));
    if (crash === undefined) return;
    this.#timeline.clear();
    this.#timeline.pass(this.#random.below(120_000));
    this.#crashes += 1;
    this.#happen({ ...crash, at: this.#timeline.now });
  }

  #hold(step: Step): void {
    for (const law of this.#laws) {
      const what = checkLaw(step, law);
      if (what !== undefined && this.#violation === undefined) this.#break(law, what);
    }
  }

  #break({ id, title }: Pick<Law, "id" | "title">, what: string): void {
    this.#violation = { law: id, title, what, path: [...this.#path] };
  }

  /** Starts and stops the simulated actors as the macrostep says. */
  #follow(actions: Taken["actions"], emitted: readonly TaskEmitted[]): void {
    for (const { type, params } of actions) {
      if (type === "xstate.spawnChild" && isSpawned(params)) this.#start(params);
      if (type === "xstate.sendTo") this.#abort(params);
    }
    for (const piece of emitted) {
      if (piece.type === "effect.stopped")
        this.#timeline.stop(piece.id, () => this.#random.chance(this.#faults.late));
      if (piece.type === "task.completed") this.#isCompleted = true;
      if (piece.type === "effect.started" && piece.effect === "context") this.#isCompleted = false;
    }
  }

  #start<K extends keyof ActorInputs>({ id, src, input }: Spawned<K>): void {
    let afterMs = 0;
    for (const said of this.#said(src, input)) {
      afterMs += said.afterMs;
      this.#timeline.plan(id, afterMs, said.event);
    }
  }

  #said<K extends keyof ActorInputs>(kind: K, input: ActorInputs[K]): readonly Said[] {
    const plan: World[K] = this.#world[kind];
    return plan(input, this.#timeline.now);
  }

  /** An aborted command ends by its signal. */
  #abort(params: unknown): void {
    const id = Abort.safeParse(params).data?.targetId;
    if (id === undefined) return;
    this.#timeline.stop(id, () => false);
    const command = { output: ".\n" };
    this.#timeline.plan(id, 20, {
      type: "tool.failed",
      callId: id.slice("tool:".length),
      error: "killed",
      command,
    });
  }
}

/** What XState's own action says of an actor that starts. */
interface Spawned<K extends keyof ActorInputs = keyof ActorInputs> {
  readonly id: string;
  readonly src: K;
  readonly input: ActorInputs[K];
}

const isSpawned = (params: unknown): params is Spawned =>
  typeof params === "object" && params !== null && "src" in params && "input" in params;

/** What XState's own action says of a word to an actor that aborts a tool. */
const Abort = z.object({ targetId: z.string(), event: z.object({ type: z.literal("tool.abort") }) });

/** Now and then with snapshots, and with limits so near that they are reached. */
const randomInput = (random: Random): Partial<TaskInput> => ({
  checkpoints: random.chance(0.3),
  ...(random.chance(0.15) && {
    limits: { requests: 2, mistakes: 1, retries: 1, repetitions: 1, queued: 1, background: 1 },
  }),
});
