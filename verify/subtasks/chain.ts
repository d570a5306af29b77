import { hasNoWork } from "../../machines/message/states.ts";
import { unendedSubtasks } from "../../machines/task/background-subtasks.ts";
import { subtaskOutcome, subtaskStep, waitsForUnavailable } from "../../machines/task/subtask-outcome.ts";
import type { TaskInput } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import type { SubtaskOutcome } from "../../machines/tool-call/call.ts";
import type { Grant } from "../../machines/tool-call/grant.ts";
import type { CoverageMeter } from "../coverage.ts";
import type { ChainPlan } from "./chain-plan.ts";
import {
  EMPTY_JOURNAL,
  flushed,
  type OpenTask,
  type PairCommit,
  type PairJournal,
  stateOf,
  TaskRunner,
  written,
} from "./open-task.ts";
import { hasOpenAsk, isOfRequest, isWorking, mayPause, reopened, yesTo } from "./pair.ts";
import { endOfEffect, timeAfter } from "./script.ts";
import type { Move as TasksMove } from "./search.ts";

/** The parts that are composed with the machines. Tests replace them by faults. Depth 0 is the root. */
export interface ChainRules {
  readonly step: typeof subtaskStep;
  /** The depth of the task that receives the end of the one at this depth. */
  readonly receiver: (depth: number) => number;
  /** The grant of a new task. */
  readonly grant: (grant: Grant | undefined, depth: number) => Grant | undefined;
  /** Whether the stop of its parent's actor reaches the task at this depth. */
  readonly stops: (depth: number) => boolean;
  /** Whether a cancel of an ancestor reaches the open task at this depth. */
  readonly cancels: (depth: number) => boolean;
  /** Whether a pause of an ancestor reaches the task at this depth. */
  readonly pauses: (depth: number) => boolean;
  /** Whether a task that has not ended stays open when its parent's wait ends. */
  readonly staysOpen: (task: OpenTask) => boolean;
}

export const SHIPPED_CHAIN: ChainRules = {
  step: subtaskStep,
  receiver: (depth) => depth - 1,
  grant: (grant) => grant,
  stops: () => true,
  cancels: () => true,
  pauses: () => true,
  staysOpen: ({ snapshot }) => unendedSubtasks(snapshot.context).length > 0,
};

/** Where the process is with the subtask that its parent's actor waits for. */
export type ChainWait =
  | { readonly at: "open"; readonly isResumed: boolean; readonly isPausedWith: boolean }
  /** The event that the parent receives next. */
  | { readonly at: "ended"; readonly event: TaskEvent };

/** A task of a chain, its journal, and the wait of its parent for it. */
export interface Place {
  readonly task: OpenTask | undefined;
  readonly journal: PairJournal | undefined;
  readonly wait: ChainWait | undefined;
  /** The task is closed once its commits are durable. */
  readonly isClosing: boolean;
  /** Starts of its effect. */
  readonly effects: number;
}

/** Tasks of one process, the root first. Each is the only subtask of the one before it. */
export interface Chain {
  readonly places: readonly Place[];
  /** A person cancelled the root, and has not resumed it. */
  readonly isCancelled: boolean;
  /** Crashes, cancels and pauses, counted only where they are limited. */
  readonly interruptions: number;
}

type Move = TasksMove<Chain>;

const NOWHERE: Place = { task: undefined, journal: undefined, wait: undefined, isClosing: false, effects: 0 };
const ATTACHED: ChainWait = { at: "open", isResumed: false, isPausedWith: false };

export const placeAt = ({ places }: Chain, depth: number): Place => places[depth] ?? NOWHERE;

const withPlace = (chain: Chain, depth: number, change: Partial<Place>): Chain => ({
  ...chain,
  places: chain.places.map((place, at) => (at === depth ? { ...place, ...change } : place)),
});

/** The subtask that a task waits for, or that works in its background. */
export const subtaskOf = ({ snapshot: { context } }: OpenTask) =>
  context.turn.calls.find((call) => call.phase === "delegated") ??
  context.backgroundSubtasks.find(({ end }) => end === undefined);

const isPaused = ({ snapshot }: OpenTask): boolean => snapshot.context.pause !== null;
const restsPaused = ({ pending, snapshot }: OpenTask): boolean =>
  pending.length === 0 && snapshot.context.pause === "resting";

const NAMES = ["the root", "the child", "the grandchild"];
export const nameOf = (depth: number): string => NAMES[depth] ?? `the task at depth ${depth}`;

/** The steps of a chain of tasks and of their process. */
export class ChainStepper {
  readonly #rules: ChainRules;
  readonly #plan: ChainPlan;
  readonly #runners: readonly TaskRunner[];

  constructor(machine: typeof taskMachine, plan: ChainPlan, rules: ChainRules, meter: CoverageMeter) {
    this.#rules = rules;
    this.#plan = plan;
    this.#runners = plan.tasks.map(
      ({ input }, depth) => new TaskRunner(machine, { taskId: `p${".1".repeat(depth)}`, ...input }, meter),
    );
  }

  /** The root works until its first commit that is not durable. */
  first(): Chain {
    const places = this.#plan.tasks.map(() => NOWHERE);
    const created = withPlace({ places, isCancelled: false, interruptions: 0 }, 0, {
      task: this.#runner(0).create(),
    });
    const start: TaskEvent = { type: "task.start", at: 1, text: "go", images: [] };
    return this.#work(this.#flush(this.#send(created, 0, start), 0), 0);
  }

  /** Everything that can happen next. */
  moves(chain: Chain): readonly Move[] {
    return [...chain.places.flatMap((_, depth) => this.#movesAt(chain, depth)), ...this.#processMoves(chain)];
  }

  #runner(depth: number): TaskRunner {
    const runner = this.#runners[depth];
    if (runner === undefined) throw new RangeError(`The chain has no task at depth ${depth}.`);
    return runner;
  }

  #movesAt(chain: Chain, depth: number): readonly Move[] {
    const { task, isClosing } = placeAt(chain, depth);
    const name = nameOf(depth);
    const moves: Move[] = [...this.#waitMoves(chain, depth)];
    if (task === undefined) return moves;
    if (task.pending.length > 0)
      moves.push({ name: `the commits of ${name} are durable`, next: this.#flush(chain, depth) });
    else if (isClosing)
      moves.push({
        name: `${name} is closed`,
        next: withPlace(chain, depth, { task: undefined, isClosing: false }),
      });
    if (isClosing) return moves;
    if (isWorking(task))
      moves.push({ name: `the model of ${name} responds`, next: this.#work(chain, depth) });
    const effect = task.active.find((id) => id.startsWith("tool:"));
    if (effect !== undefined) {
      const events = endOfEffect(task, effect, this.#script(depth));
      moves.push({ name: `the effect of ${name} ends`, next: this.#send(chain, depth, ...events) });
    }
    if (depth > 0 && stateOf(task) === "idle.completing" && hasOpenAsk(task))
      moves.push({
        name: `a policy accepts the completion of ${name}`,
        next: this.#send(chain, depth, yesTo(task)),
      });
    return moves;
  }

  /** The process opens the subtask that its parent waits for, and delivers its end. */
  #waitMoves(chain: Chain, depth: number): readonly Move[] {
    const { task, wait, isClosing } = placeAt(chain, depth);
    const parent = placeAt(chain, depth - 1);
    const call = parent.task && subtaskOf(parent.task);
    if (depth === 0 || parent.task === undefined || parent.isClosing) return [];
    const name = nameOf(depth);
    if (wait?.at === "ended")
      // Any task but one that was cancelled by itself is closed first.
      return isClosing
        ? []
        : [{ name: `the end of ${name} is received`, next: this.#deliver(chain, depth, wait.event) }];
    if (wait !== undefined)
      return task === undefined || wait.isResumed || task.pending.length > 0
        ? []
        : [{ name: `${name} is resumed`, next: this.#resume(chain, depth, task) }];
    if (!parent.task.active.some((id) => id === `subtask:${call?.callId}`) || isClosing) return [];
    return this.#openMoves(chain, depth);
  }

  #openMoves(chain: Chain, depth: number): readonly Move[] {
    const { task, journal } = placeAt(chain, depth);
    const name = nameOf(depth);
    if (task !== undefined)
      return [{ name: `${name} is open`, next: withPlace(chain, depth, { wait: ATTACHED }) }];
    const step = this.#step(journal);
    if (step === "create") return [{ name: `${name} is created`, next: this.#create(chain, depth) }];
    const open = typeof step === "object" ? this.#end(chain, depth, step) : this.#open(chain, depth, true);
    const ofOpening: Move[] = [{ name: `${name} is opened`, next: open }];
    if (this.#plan.unreadable !== true) return ofOpening;
    const message = "It is locked.";
    const callId = this.#callId(chain, depth);
    const event: TaskEvent = {
      type: "subtask.unavailable",
      at: this.#now(chain, depth - 1),
      callId,
      message,
    };
    return [
      ...ofOpening,
      { name: `${name} can't be opened`, next: withPlace(chain, depth, { wait: { at: "ended", event } }) },
    ];
  }

  #processMoves(chain: Chain): readonly Move[] {
    const { task, journal } = placeAt(chain, 0);
    const moves: Move[] = [];
    if (task === undefined) {
      if (journal !== undefined) moves.push({ name: "the root is opened", next: this.#open(chain, 0, true) });
      if (journal !== undefined && this.#plan.unreadable === true)
        moves.push({
          name: "the root is opened, and the child can't be read",
          next: this.#open(chain, 0, false),
        });
      return moves;
    }
    const { ask } = task.snapshot.context;
    if (ask?.ask === "resume_task" && hasOpenAsk(task))
      moves.push({
        name: "a person resumes the root",
        next: { ...this.#send(chain, 0, yesTo(task)), isCancelled: false },
      });
    const max = this.#plan.interruptions;
    return max !== undefined && chain.interruptions >= max
      ? moves
      : [...moves, ...this.#interruptions(max === undefined ? chain : counted(chain), task)];
  }

  #interruptions(chain: Chain, root: OpenTask): readonly Move[] {
    const moves: Move[] = [{ name: "the process is killed", isStop: true, next: killed(chain) }];
    const hasWork = chain.places.some(({ task }) => task && !hasNoWork(stateOf(task)));
    if (!hasWork || subtaskOf(root) === undefined) return moves;
    moves.push({ name: "a person cancels the root", next: { ...this.#cancel(chain, 0), isCancelled: true } });
    if (this.#plan.pauses === true && mayPause(root))
      moves.push({ name: "a person pauses the root", next: this.#pause(chain) });
    return moves;
  }

  #script(depth: number) {
    return this.#plan.tasks[depth]?.script ?? [];
  }

  #now(chain: Chain, depth: number): number {
    const { task } = placeAt(chain, depth);
    return task === undefined ? 1 : timeAfter(task);
  }

  #callId(chain: Chain, depth: number): string {
    const { task } = placeAt(chain, depth - 1);
    return (task && subtaskOf(task)?.callId) ?? "";
  }

  #step(journal: PairJournal | undefined) {
    return this.#rules.step({
      journal: journal === undefined ? "none" : "own",
      isDeleted: false,
      outcome: journal?.outcome,
    });
  }

  #budget(chain: Chain, depth: number): TaskInput["budget"] {
    const { task } = placeAt(chain, depth - 1);
    const grant = this.#rules.grant(task && subtaskOf(task)?.grant, depth);
    return grant && { from: "parent", grant };
  }

  #create(chain: Chain, depth: number): Chain {
    const task = this.#runner(depth).create(this.#budget(chain, depth));
    const wait: ChainWait = { at: "open", isResumed: true, isPausedWith: false };
    const start: TaskEvent = { type: "task.start", at: 1, text: "go", images: [] };
    return this.#send(withPlace(chain, depth, { task, wait }), depth, start);
  }

  /** Open a task from its journal, with the end that the journal of its subtask has. */
  #open(chain: Chain, depth: number, isReadable: boolean): Chain {
    const { recorded } = placeAt(chain, depth).journal ?? EMPTY_JOURNAL;
    const step = isReadable ? this.#step(placeAt(chain, depth + 1).journal) : undefined;
    const ends = new Map<string, SubtaskOutcome>();
    const unended = (recorded.facts.backgroundSubtasks ?? []).filter(({ end }) => end === undefined);
    const delegated = recorded.calls.filter(({ phase }) => phase === "delegated");
    for (const { callId } of [...delegated, ...unended]) if (typeof step === "object") ends.set(callId, step);
    const task = this.#runner(depth).open(reopened(recorded, ends), this.#budget(chain, depth));
    return this.#follow(withPlace(chain, depth, { task, ...(depth > 0 && { wait: ATTACHED }) }));
  }

  /** Continue a subtask that was opened, as its journal says. */
  #resume(chain: Chain, depth: number, task: OpenTask): Chain {
    const { journal } = placeAt(chain, depth);
    if (journal?.outcome !== undefined) return this.#end(chain, depth, journal.outcome);
    const { log, result } = task.snapshot.context;
    const last = log.at(-1)?.ask;
    if (last === "resume_completed_task")
      return this.#end(chain, depth, { kind: "finished", result: result ?? "" });
    const isResumed = withPlace(chain, depth, {
      wait: { at: "open", isResumed: true, isPausedWith: false },
    });
    const parent = placeAt(chain, depth - 1).task;
    const isPausedToo = parent !== undefined && isPaused(parent) && restsPaused(task);
    return last === "resume_task" && hasOpenAsk(task) && !isPausedToo
      ? this.#send(isResumed, depth, yesTo(task))
      : this.#follow(isResumed);
  }

  /** The task has ended for its parent. One that was not cancelled by itself is closed; its own open subtasks go on. */
  #end(chain: Chain, depth: number, end: SubtaskOutcome): Chain {
    const at = this.#now(chain, depth - 1);
    const callId = this.#callId(chain, depth);
    return this.#endWith(chain, depth, { type: "subtask.ended", at, callId, end }, end.kind !== "cancelled");
  }

  #endWith(chain: Chain, depth: number, event: TaskEvent, closes: boolean): Chain {
    const { task } = placeAt(chain, depth);
    const ended = withPlace(chain, depth, { wait: { at: "ended", event } });
    const isKept = task !== undefined && event.type !== "subtask.ended" && this.#rules.staysOpen(task);
    if (task === undefined || !closes || isKept) return ended;
    const closing = withPlace(ended, depth, { isClosing: true });
    return this.#send(closing, depth, cancelOf(task, "parent"));
  }

  #deliver(chain: Chain, depth: number, event: TaskEvent): Chain {
    const receiver = this.#rules.receiver(depth);
    const { task } = placeAt(chain, receiver);
    const callId = task && subtaskOf(task)?.callId;
    const own = "callId" in event && callId !== undefined ? { ...event, callId } : event;
    return this.#send(withPlace(chain, depth, { wait: undefined }), receiver, own);
  }

  /** The task receives events. What it stops is closed, and a pause is followed, in the same step. */
  #send(chain: Chain, depth: number, ...events: readonly TaskEvent[]): Chain {
    const { task } = placeAt(chain, depth);
    if (task === undefined) return chain;
    const sent = this.#runner(depth).send(task, ...events);
    const commits = sent.pending.slice(task.pending.length);
    const isStopped = commits.some(({ effects }) =>
      effects.some(({ type, id }) => type === "effect.stopped" && id.startsWith("subtask:")),
    );
    let next = withPlace(chain, depth, { task: sent });
    if (isStopped) next = this.#close(next, depth + 1);
    return this.#follow(next);
  }

  /** The parent no longer waits: the subtask is cancelled and closed. */
  #close(chain: Chain, depth: number): Chain {
    const { task, wait } = placeAt(chain, depth);
    if (wait === undefined) return chain;
    const left = withPlace(chain, depth, { wait: undefined });
    if (task === undefined || !this.#rules.stops(depth)) return left;
    return this.#cancel(withPlace(left, depth, { isClosing: true }), depth);
  }

  /** Cancel a task and its open descendants. */
  #cancel(chain: Chain, from: number): Chain {
    const { task } = placeAt(chain, from);
    if (task === undefined) return chain;
    const sent = this.#send(chain, from, cancelOf(task, from === 0 ? "user" : "parent"));
    return sent.places.reduce((next: Chain, _, depth) => {
      const below = placeAt(next, depth).task;
      const isReached = depth > from && this.#rules.cancels(depth);
      return below !== undefined && isReached && !hasNoWork(stateOf(below))
        ? this.#send(next, depth, cancelOf(below, "parent"))
        : next;
    }, sent);
  }

  #pause(chain: Chain): Chain {
    return chain.places.reduce((next: Chain, _, depth) => {
      const { task } = placeAt(next, depth);
      const isReached = depth === 0 || this.#rules.pauses(depth);
      return task !== undefined && isReached && mayPause(task)
        ? this.#send(next, depth, { type: "task.pause", at: timeAfter(task) })
        : next;
    }, chain);
  }

  /** Each subtask that is waited for is paused and resumed with its parent. */
  #follow(chain: Chain): Chain {
    return chain.places.reduce((next: Chain, _, depth) => this.#followAt(next, depth), chain);
  }

  #followAt(chain: Chain, depth: number): Chain {
    const { task, wait, isClosing } = placeAt(chain, depth);
    const parent = placeAt(chain, depth - 1).task;
    if (depth === 0 || task === undefined || parent === undefined) return chain;
    if (wait?.at !== "open" || !wait.isResumed || isClosing) return chain;
    if (isPaused(parent) && this.#rules.pauses(depth) && mayPause(task))
      return this.#send(chain, depth, { type: "task.pause", at: timeAfter(task) });
    const isPausedWith = isPaused(task) && (wait.isPausedWith || isPaused(parent));
    if (!restsPaused(task))
      return isPausedWith === wait.isPausedWith
        ? chain
        : withPlace(chain, depth, { wait: { ...wait, isPausedWith } });
    if (!isPaused(parent)) return isPausedWith ? withPlace(chain, depth, { wait: ATTACHED }) : chain;
    const event: TaskEvent = {
      type: "subtask.paused",
      at: timeAfter(parent),
      callId: this.#callId(chain, depth),
    };
    return this.#endWith(chain, depth, event, true);
  }

  #flush(chain: Chain, depth: number): Chain {
    const { task, journal = EMPTY_JOURNAL, effects } = placeAt(chain, depth);
    if (task === undefined) return chain;
    const { pending } = task;
    const next = withPlace(chain, depth, {
      task: flushed(task),
      journal: written(journal, pending, subtaskOutcome),
      effects: effects + task.waiting.filter((id) => id.startsWith("tool:")).length,
    });
    return this.#follow(this.#noteEnd(next, depth, pending));
  }

  /** The process sees the end of a subtask in its commits. */
  #noteEnd(chain: Chain, depth: number, commits: readonly PairCommit[]): Chain {
    const { wait } = placeAt(chain, depth);
    if (wait?.at !== "open" || !wait.isResumed) return chain;
    for (const commit of commits) {
      if (waitsForUnavailable(commit)) {
        const message = "One of its own subtasks can't be opened.";
        const callId = this.#callId(chain, depth);
        const at = this.#now(chain, depth - 1);
        return this.#endWith(chain, depth, { type: "subtask.unavailable", at, callId, message }, true);
      }
      const end = subtaskOutcome(commit);
      if (end !== undefined) return this.#end(chain, depth, end);
    }
    return chain;
  }

  /** The model responds: until a call, an ask or the end of the turn, whose commits are not durable yet. */
  #work(chain: Chain, depth: number): Chain {
    let next = chain;
    for (let { task } = placeAt(next, depth); task !== undefined && isWorking(task); ) {
      const id = task.active.find(isOfRequest) ?? "";
      next = this.#send(next, depth, ...endOfEffect(task, id, this.#script(depth)));
      if (placeAt(next, depth).task?.waiting.every(isOfRequest) === true) next = this.#flush(next, depth);
      ({ task } = placeAt(next, depth));
    }
    return next;
  }
}

const cancelOf = (task: OpenTask, origin: "user" | "parent"): TaskEvent => ({
  type: "task.cancel",
  origin,
  at: timeAfter(task),
});

const counted = (chain: Chain): Chain => ({ ...chain, interruptions: chain.interruptions + 1 });

/** The process ends, and with it all that is not durable. */
const killed = (chain: Chain): Chain => ({
  ...chain,
  places: chain.places.map((place) => ({ ...place, task: undefined, wait: undefined, isClosing: false })),
});
