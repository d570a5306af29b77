import { hasNoWork } from "../../machines/message/states.ts";
import { subtaskOutcome, subtaskStep } from "../../machines/task/subtask-outcome.ts";
import type { RecordedState, ReopenedTask, TaskInput } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import type { CallIn, SubtaskOutcome } from "../../machines/tool-call/call.ts";
import type { Grant } from "../../machines/tool-call/grant.ts";
import type { CoverageMeter } from "../coverage.ts";
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
import { CHILD_SCRIPT, endOfEffect, PARENT_SCRIPT, timeAfter } from "./script.ts";
import type { Move as TasksMove } from "./search.ts";

/** The parts that are composed with the two machines. Tests replace them by faults. */
export interface PairRules {
  /** The shipped decision about a subtask that is looked for. */
  readonly step: typeof subtaskStep;
  /** The shipped decision which commit ends a subtask. */
  readonly outcome: (commit: PairCommit) => SubtaskOutcome | undefined;
  /** The event for a subtask that can't be opened now. */
  readonly unavailable: (callId: string, at: number) => TaskEvent;
  /** Whether a process can open a journal that another one has open. */
  readonly locks: boolean;
  /** Whether a subtask's deletion is marked before its journal is removed. */
  readonly marks: boolean;
  /** Whether effects start, and ends are delivered, only once their commit is durable. */
  readonly waitsForRecord: boolean;
  /** Whether a cancel of the parent reaches the subtask. */
  readonly cancels: boolean;
  /** Whether a pause of the parent reaches the subtask. */
  readonly pauses: boolean;
  /** Whether a subtask that was paused with its parent rests. */
  readonly rests: (subtask: OpenTask) => boolean;
}

export const SHIPPED_RULES: PairRules = {
  step: subtaskStep,
  outcome: subtaskOutcome,
  unavailable: (callId, at) => ({ type: "subtask.unavailable", at, callId, message: "It is locked." }),
  locks: true,
  marks: true,
  waitsForRecord: true,
  cancels: true,
  pauses: true,
  rests: ({ pending, snapshot }) => pending.length === 0 && snapshot.context.pause === "resting",
};

/** Where the parent's process is with the subtask that its machine waits for. */
export type Wait =
  | { readonly at: "looking" }
  /** The step that it found, before it takes the lock. */
  | { readonly at: "found"; readonly step: "create" | "open" }
  /** It has the subtask open. `isResumed`: and has continued it. */
  | { readonly at: "open"; readonly isResumed: boolean }
  /** The event that its machine receives next. */
  | { readonly at: "ended"; readonly event: TaskEvent; readonly because?: "journal failed" };

/** Two tasks, their journals, and two processes: A has the parent, B only opens the subtask. A third one deletes. */
export interface Pair {
  readonly parent: OpenTask | undefined;
  readonly child: OpenTask | undefined;
  readonly childIn: "A" | "B";
  /** The subtask is closed once its commits are durable. */
  readonly isClosing: boolean;
  readonly wait: Wait | undefined;
  readonly disk: {
    readonly parent: PairJournal;
    readonly child: PairJournal | undefined;
    readonly isMarked: boolean;
    /** A journal was removed. */
    readonly isGone: boolean;
  };
  /** A process that deletes the subtask has its lock. */
  readonly isDeleting: boolean;
  /** Starts of the subtask's effect. */
  readonly effects: number;
  /** Durable commits that settled the parent's call. */
  readonly settled: number;
  /** A person or a failed journal stopped the subtask, and its journal has that. */
  readonly wasStopped: boolean;
  readonly grant: Grant | undefined;
  /** The rest of its grant that the subtask returned with its recorded completion. */
  readonly rest: Grant | undefined;
}

type Move = TasksMove<Pair>;

/** Both tasks: their limits, and a budget that ends repeated requests. */
export const PAIR_INPUT = {
  limits: { subtaskShare: 1, retries: 0, pauses: 0, mistakes: 0, requests: 1_000 },
  completion: "end_turn",
  budget: { from: "user", grant: { requests: 4 } },
} as const satisfies Partial<TaskInput>;

export const delegatedCall = ({ snapshot }: OpenTask): CallIn<"delegated"> | undefined =>
  snapshot.context.turn.calls.find((call): call is CallIn<"delegated"> => call.phase === "delegated");

/** How the parent's wait can end. */
interface WaitEnds {
  readonly unavailable: Pair;
  readonly with: (outcome: SubtaskOutcome) => Pair;
}

/** The steps of the two tasks and their processes. */
export class PairStepper {
  readonly #rules: PairRules;
  readonly #parents: TaskRunner;
  readonly #children: TaskRunner;

  constructor(machine: typeof taskMachine, rules: PairRules, meter: CoverageMeter) {
    this.#rules = rules;
    const { limits } = PAIR_INPUT;
    this.#parents = new TaskRunner(machine, { taskId: "p", ...PAIR_INPUT }, meter);
    this.#children = new TaskRunner(machine, { taskId: "p.1", limits, completion: "tool" }, meter);
  }

  /** The parent has just decided to delegate, and nothing of that is durable. */
  first(): Pair {
    const created = this.#parents.create();
    const started: Pair = {
      parent: this.#parents.send(created, { type: "task.start", at: 1, text: "go", images: [] }),
      child: undefined,
      childIn: "A",
      isClosing: false,
      wait: undefined,
      disk: { parent: EMPTY_JOURNAL, child: undefined, isMarked: false, isGone: false },
      isDeleting: false,
      effects: 0,
      settled: 0,
      wasStopped: false,
      grant: undefined,
      rest: undefined,
    };
    return this.#parentWorks(this.#flushParent(started));
  }

  /** Everything that can happen next. */
  moves(pair: Pair): readonly Move[] {
    const own = [
      ...this.#parentMoves(pair),
      ...this.#waitMoves(pair),
      ...this.#childMoves(pair),
      ...this.#stops(pair),
    ];
    // A subtask whose end is recorded in both journals goes on as one task, which is explored alone.
    const isOver = pair.settled > 0 && pair.parent?.pending.length === 0;
    const isBusy = pair.isDeleting || (pair.child !== undefined && pair.childIn === "B");
    if (isOver && !isBusy) return own;
    return [...own, ...this.#foreignMoves(pair), ...this.#deletionMoves(pair)];
  }

  #parentMoves(pair: Pair): readonly Move[] {
    const { parent } = pair;
    if (parent === undefined) {
      if (!isRecorded(pair)) return [];
      return [false, true].map((isUnreadable) => ({
        name: `A opens the parent${isUnreadable ? ", and can't read the subtask" : ""}`,
        next: this.#openParent(pair, isUnreadable),
      }));
    }
    const moves: Move[] = [];
    if (parent.pending.length > 0)
      moves.push({ name: "the parent's commits are durable", next: this.#flushParent(pair) });
    for (const id of parent.active) {
      if (id.startsWith("subtask:") && pair.wait === undefined)
        moves.push({ name: "A looks for the subtask", next: { ...pair, wait: { at: "looking" } } });
    }
    if (isWorking(parent)) moves.push({ name: "the parent's model responds", next: this.#parentWorks(pair) });
    const { ask } = parent.snapshot.context;
    if (ask?.ask === "resume_task" && hasOpenAsk(parent))
      moves.push({ name: "a person resumes the parent", next: this.#send(pair, yesTo(parent)) });
    if (delegatedCall(parent) !== undefined && !hasNoWork(stateOf(parent)))
      moves.push({ name: "a person cancels the parent", next: this.#cancelParent(pair) });
    if (delegatedCall(parent) !== undefined && mayPause(parent))
      moves.push({ name: "a person pauses the parent", next: this.#pauseParent(pair) });
    return moves;
  }

  /** The steps of the parent's process for its machine. */
  #waitMoves(pair: Pair): readonly Move[] {
    const { wait, parent, child } = pair;
    const call = parent && delegatedCall(parent);
    if (wait === undefined || parent === undefined) return [];
    if (wait.at === "ended")
      return [{ name: "the parent receives the end", next: this.#deliverEnd(pair, wait.event) }];
    if (call === undefined) return [];
    const ends = this.#endsOf(pair, call.callId, timeAfter(parent));
    if (wait.at === "looking") return this.#lookMoves(pair, ends);
    if (wait.at === "found")
      return [{ name: "A opens the subtask", next: this.#take(pair, wait.step, ends) }];
    if (wait.isResumed || child === undefined || child.pending.length > 0) return [];
    return [{ name: "A resumes the subtask", next: this.#resume(pair, child, ends) }];
  }

  #lookMoves(pair: Pair, ends: WaitEnds): readonly Move[] {
    const { child, childIn, disk, isClosing } = pair;
    if (child !== undefined && childIn === "A")
      return isClosing ? [] : [{ name: "A has the subtask open", next: attached(pair) }];
    const step = this.#step(disk);
    const cannotRead: Move = { name: "A can't read the subtask", next: ends.unavailable };
    if (typeof step === "object")
      return [{ name: `A finds: ${step.kind}`, next: ends.with(step) }, cannotRead];
    const found: Wait = { at: "found", step: step === "open" ? "open" : "create" };
    return [{ name: `A finds: ${step}`, next: { ...pair, wait: found } }, cannotRead];
  }

  /** The parent's machine receives the end of its wait. A subtask that was not cancelled is closed with it. */
  #deliverEnd(pair: Pair, event: TaskEvent): Pair {
    const delivered = { ...this.#send(pair, event), wait: undefined };
    const isKept = event.type === "subtask.ended" && event.end.kind === "cancelled";
    const isOpen = pair.child !== undefined && pair.childIn === "A";
    return { ...delivered, isClosing: delivered.isClosing || (isOpen && !isKept) };
  }

  #endsOf(pair: Pair, callId: string, at: number): WaitEnds {
    const ended = (event: TaskEvent): Pair => ({ ...pair, wait: { at: "ended", event } });
    return {
      unavailable: ended(this.#rules.unavailable(callId, at)),
      with: (end) => ended({ type: "subtask.ended", at, callId, end }),
    };
  }

  #childMoves(pair: Pair): readonly Move[] {
    const { child, childIn, wait } = pair;
    if (child === undefined || childIn === "B") return [];
    const moves: Move[] = [];
    if (child.pending.length > 0)
      moves.push({ name: "the subtask's commits are durable", next: this.#flushChild(pair) });
    else if (pair.isClosing)
      moves.push({ name: "the subtask is closed", next: { ...pair, child: undefined, isClosing: false } });
    if (pair.isClosing) return moves;
    if (isWorking(child)) moves.push({ name: "the subtask's model responds", next: this.#childWorks(pair) });
    const effect = child.active.find((id) => id.startsWith("tool:"));
    if (effect !== undefined) {
      const events = endOfEffect(child, effect, CHILD_SCRIPT);
      moves.push({ name: "the effect of the subtask ends", next: this.#sendToChild(pair, ...events) });
    }
    const { ask } = child.snapshot.context;
    const isAsked = ask !== undefined && hasOpenAsk(child);
    if (isAsked && ask.ask === "completion_result" && stateOf(child) === "idle.completing")
      moves.push({ name: "a policy accepts the completion", next: this.#sendToChild(pair, yesTo(child)) });
    const isAttached = wait?.at === "open" && !wait.isResumed;
    if (isAsked && ask.ask === "resume_task" && !isAttached)
      moves.push({ name: "a person resumes the subtask", next: this.#sendToChild(pair, yesTo(child)) });
    // Only its first outcome counts: after that it is not cancelled again.
    if (!hasNoWork(stateOf(child)) && pair.disk.child?.outcome === undefined) {
      const cancel: TaskEvent = { type: "task.cancel", origin: "parent", at: timeAfter(child) };
      moves.push({ name: "a person cancels the subtask", next: this.#sendToChild(pair, cancel) });
      if (wait?.at === "open") moves.push({ name: "the subtask's journal fails", next: failJournal(pair) });
    }
    return moves;
  }

  /** The steps of process B. They are durable at once, and B has the lock until it closes the subtask. */
  #foreignMoves(pair: Pair): readonly Move[] {
    const { child, childIn, disk } = pair;
    if (child !== undefined && childIn === "B") {
      const closes: Move = { name: "B closes the subtask", next: { ...pair, child: undefined } };
      const ask = child.snapshot.context.ask?.ask;
      return ask === "resume_task"
        ? [closes, { name: "B completes the subtask", next: this.#complete(pair) }]
        : [closes];
    }
    if (disk.child === undefined || this.#isLocked(pair)) return [];
    const opened: Pair = { ...pair, child: this.#open(pair, disk.child), childIn: "B" };
    return [{ name: "B opens the subtask", next: this.#flushChild(opened) }];
  }

  /** A person resumes the subtask, and it works until it rests. */
  #complete(pair: Pair): Pair {
    let next = pair;
    for (let event = endOf(next); event.length > 0; event = endOf(next))
      next = this.#flushChild(this.#sendToChild(next, ...event));
    return next;
  }

  #deletionMoves(pair: Pair): readonly Move[] {
    const { disk, isDeleting } = pair;
    if (isDeleting)
      return [
        {
          name: "the subtask is removed",
          next: { ...pair, isDeleting: false, disk: { ...disk, child: undefined, isGone: true } },
        },
        { name: "the deletion is stopped", isStop: true, next: { ...pair, isDeleting: false } },
      ];
    if (disk.child === undefined || this.#isLocked(pair)) return [];
    const isMarked = this.#rules.marks;
    return [{ name: "a deletion begins", next: { ...pair, isDeleting: true, disk: { ...disk, isMarked } } }];
  }

  #stops(pair: Pair): readonly Move[] {
    const { parent, child, childIn } = pair;
    const moves: Move[] = [];
    if (parent !== undefined || (child !== undefined && childIn === "A")) {
      const left = childIn === "A" ? { child: undefined, isClosing: false } : {};
      moves.push({
        name: "A is killed",
        isStop: true,
        next: { ...pair, ...left, parent: undefined, wait: undefined },
      });
    }
    if (child !== undefined && childIn === "B")
      moves.push({ name: "B is killed", isStop: true, next: { ...pair, child: undefined } });
    return moves;
  }

  /** The model responds: until a call, an ask or the end of the turn, whose commits are not durable yet. */
  #parentWorks(pair: Pair): Pair {
    let next = pair;
    for (let { parent } = next; parent !== undefined && isWorking(parent); { parent } = next) {
      const id = parent.active.find(isOfRequest) ?? "";
      next = this.#send(next, ...endOfEffect(parent, id, PARENT_SCRIPT));
      if (next.parent?.waiting.every(isOfRequest) === true) next = this.#flushParent(next);
    }
    return next;
  }

  #childWorks(pair: Pair): Pair {
    let next = pair;
    for (let { child } = next; child !== undefined && isWorking(child); { child } = next) {
      const id = child.active.find(isOfRequest) ?? "";
      next = this.#sendToChild(next, ...endOfEffect(child, id, CHILD_SCRIPT));
      if (next.child?.waiting.every(isOfRequest) === true) next = this.#flushChild(next);
    }
    return next;
  }

  #isLocked({ child, isDeleting }: Pair): boolean {
    return this.#rules.locks && (child !== undefined || isDeleting);
  }

  #step({ child, isMarked }: Pair["disk"]) {
    return this.#rules.step({
      journal: child === undefined ? "none" : "own",
      isDeleted: isMarked,
      outcome: child?.outcome,
    });
  }

  /** Take the lock, look again, and open or create the subtask. */
  #take(pair: Pair, found: "create" | "open", { unavailable, with: end }: WaitEnds): Pair {
    const { disk } = pair;
    if (this.#isLocked(pair)) return unavailable;
    const step = this.#step(disk);
    if (found === "create") {
      if (step !== "create") return unavailable;
      const created = this.#children.create(this.#childBudget(pair));
      const child = this.#children.send(created, { type: "task.start", at: 1, text: "go", images: [] });
      const started = this.#settleEffects({
        ...attached(pair),
        child,
        wait: { at: "open", isResumed: true },
      });
      return this.#pauseChild(started);
    }
    if (disk.child === undefined) return typeof step === "object" ? end(step) : unavailable;
    return { ...attached(pair), child: this.#open(pair, disk.child) };
  }

  /** Continue a subtask that A has opened, as its journal says. */
  #resume(pair: Pair, child: OpenTask, { with: end }: WaitEnds): Pair {
    const { disk } = pair;
    if (disk.child?.outcome !== undefined) return end(disk.child.outcome);
    const running: Pair = { ...pair, wait: { at: "open", isResumed: true } };
    const last = child.snapshot.context.log.at(-1)?.ask;
    // The policy accepts the completion that was offered.
    if (last === "resume_completed_task")
      return end({ kind: "finished", result: child.snapshot.context.result ?? "" });
    const rested = this.#noteRest(running);
    if (rested.wait?.at === "ended") return rested;
    return last === "resume_task" && hasOpenAsk(child)
      ? this.#pauseChild(this.#sendToChild(running, yesTo(child)))
      : running;
  }

  #childBudget({ grant }: Pair): TaskInput["budget"] {
    return grant && { from: "parent", grant };
  }

  #open(pair: Pair, { recorded }: PairJournal): OpenTask {
    return this.#children.open(reopened(recorded, new Map()), this.#childBudget(pair));
  }

  #openParent(pair: Pair, isUnreadable: boolean): Pair {
    const { recorded } = pair.disk.parent;
    const ends = new Map<string, SubtaskOutcome>();
    for (const call of recorded.calls) {
      const step = call.phase === "delegated" && !isUnreadable ? this.#step(pair.disk) : undefined;
      if (typeof step === "object") ends.set(call.callId, step);
    }
    const parent = this.#parents.open(reopened(recorded, ends));
    return { ...pair, parent };
  }

  #send(pair: Pair, ...events: readonly TaskEvent[]): Pair {
    if (pair.parent === undefined) return pair;
    const parent = this.#parents.send(pair.parent, ...events);
    const next = { ...pair, parent, grant: pair.grant ?? delegatedCall(parent)?.grant };
    return this.#rules.waitsForRecord ? next : { ...next, parent: started(parent) };
  }

  #sendToChild(pair: Pair, ...events: readonly TaskEvent[]): Pair {
    if (pair.child === undefined) return pair;
    return this.#settleEffects({ ...pair, child: this.#children.send(pair.child, ...events) });
  }

  /** With a fault: the child's effects and its end do not wait for the journal. */
  #settleEffects(pair: Pair): Pair {
    const { child } = pair;
    if (this.#rules.waitsForRecord || child === undefined) return pair;
    return { ...this.#noteEnd(pair, child.pending), child: started(child) };
  }

  /** The parent's process cancels the subtask in the same step, and closes the one that it waits for. */
  #cancelParent(pair: Pair): Pair {
    const { parent, child, childIn, wait } = pair;
    if (parent === undefined) return pair;
    const sent: Pair = {
      ...this.#send(pair, { type: "task.cancel", origin: "user", at: timeAfter(parent) }),
      wait: undefined,
    };
    if (child === undefined || childIn === "B" || !this.#rules.cancels) return sent;
    const isClosing = sent.isClosing || wait !== undefined;
    if (hasNoWork(stateOf(child))) return { ...sent, isClosing };
    return {
      ...this.#sendToChild(sent, { type: "task.cancel", origin: "parent", at: timeAfter(child) }),
      isClosing,
    };
  }

  /** The parent's process pauses its open subtask in the same step. */
  #pauseParent(pair: Pair): Pair {
    if (pair.parent === undefined) return pair;
    return this.#pauseChild(this.#send(pair, { type: "task.pause", at: timeAfter(pair.parent) }));
  }

  /** A subtask is paused with its parent, now or when it starts. One that rests as paused ends the wait. */
  #pauseChild(pair: Pair): Pair {
    const { parent, child, childIn } = pair;
    if (!this.#rules.pauses || child === undefined || childIn === "B" || parent === undefined) return pair;
    if (!isPausing(parent)) return pair;
    if (!mayPause(child)) return this.#noteRest(pair);
    return this.#sendToChild(pair, { type: "task.pause", at: timeAfter(child) });
  }

  #noteRest(pair: Pair): Pair {
    const { wait, parent, child } = pair;
    if (parent === undefined || child === undefined || wait?.at !== "open" || !wait.isResumed) return pair;
    const call = delegatedCall(parent);
    if (call === undefined || !isPausing(parent) || !this.#rules.rests(child)) return pair;
    const event: TaskEvent = { type: "subtask.paused", at: timeAfter(parent), callId: call.callId };
    return { ...pair, wait: { at: "ended", event } };
  }

  #flushParent(pair: Pair): Pair {
    const { parent, disk } = pair;
    if (parent === undefined) return pair;
    const settled = parent.pending.filter(({ calls }) => calls.some(isSettledDelegation)).length;
    return {
      ...pair,
      parent: flushed(parent),
      settled: pair.settled + settled,
      disk: { ...disk, parent: written(disk.parent, parent.pending, () => undefined) },
    };
  }

  #flushChild(pair: Pair): Pair {
    const { child, disk } = pair;
    if (child === undefined) return pair;
    const durable = flushed(child);
    const starts = child.waiting.filter((id) => id.startsWith("tool:")).length;
    const journal = written(disk.child ?? EMPTY_JOURNAL, child.pending, this.#rules.outcome);
    const { outcome } = journal;
    const isStopped = child.pending.some(({ cause }) => cause?.type === "task.cancel");
    const next: Pair = {
      ...pair,
      wasStopped: pair.wasStopped || isStopped,
      ...(outcome?.kind === "finished" && outcome.rest !== undefined && { rest: outcome.rest }),
      child: durable,
      effects: pair.effects + starts,
      disk: { ...disk, child: journal },
    };
    return this.#noteRest(this.#noteEnd(next, child.pending));
  }

  /** The parent's process sees the subtask's end in its commits. */
  #noteEnd(pair: Pair, commits: readonly PairCommit[]): Pair {
    const { wait, parent, childIn } = pair;
    const call = parent && delegatedCall(parent);
    if (wait?.at !== "open" || !wait.isResumed || call === undefined || childIn === "B") return pair;
    const end = commits.map(this.#rules.outcome).find((outcome) => outcome !== undefined);
    if (end === undefined || parent === undefined) return pair;
    const event: TaskEvent = { type: "subtask.ended", at: timeAfter(parent), callId: call.callId, end };
    return { ...pair, wait: { at: "ended", event } };
  }
}

/** Whether the parent's journal has the call. A parent without it starts over, and is not followed. */
export const isRecorded = ({ disk, settled }: Pair): boolean =>
  settled > 0 || disk.parent.recorded.calls.some(({ phase }) => phase === "delegated");

/** The next events of a subtask whose commits are durable. */
function endOf({ child }: Pair): readonly TaskEvent[] {
  if (child === undefined) return [];
  const id = child.active.find((one) => !one.startsWith("ask"));
  if (id !== undefined) return endOfEffect(child, id, CHILD_SCRIPT);
  const ask = child.snapshot.context.ask?.ask;
  const isYes = ask === "resume_task" || stateOf(child) === "idle.completing";
  return isYes && hasOpenAsk(child) ? [yesTo(child)] : [];
}

/** Effects of one request. A process that ends within one is explored with a single task. */
export const isOfRequest = (id: string): boolean => /^(opening|context|llm|review)/.test(id);
export const isWorking = ({ active, pending }: OpenTask): boolean =>
  pending.length === 0 && active.some(isOfRequest);

const attached = (pair: Pair): Pair => ({ ...pair, childIn: "A", wait: { at: "open", isResumed: false } });

const isSettledDelegation = ({ phase, name }: { readonly phase: string; readonly name: string }): boolean =>
  phase === "settled" && name === "delegate";

const started = (task: OpenTask): OpenTask => ({
  ...task,
  waiting: [],
  active: [...new Set([...task.active, ...task.waiting])],
});

const isPausing = ({ snapshot }: OpenTask): boolean => snapshot.context.pause === "asked";

/** Whether a pause takes effect. */
export const mayPause = (task: OpenTask): boolean =>
  task.snapshot.context.pause === null && !hasNoWork(stateOf(task));

/** Whether its ask can be answered: the commit that opened it is durable. */
export const hasOpenAsk = ({ snapshot, active }: OpenTask): boolean =>
  active.includes(`ask:${snapshot.context.ask?.id}`);

export const yesTo = (task: OpenTask): TaskEvent => {
  const { ask } = task.snapshot.context;
  return { type: "ask.answered", at: timeAfter(task), askId: ask?.id ?? 0, answer: { kind: "yes" } };
};

export const reopened = (
  recorded: RecordedState,
  childEnds: ReadonlyMap<string, SubtaskOutcome>,
): ReopenedTask => ({
  ...recorded,
  openedAt: (recorded.log.at(-1)?.ts ?? 0) + 1,
  childEnds,
});

/** Lose what the subtask has not written, end the parent's wait and close the subtask. */
function failJournal(pair: Pair): Pair {
  const call = pair.parent && delegatedCall(pair.parent);
  if (call === undefined || pair.parent === undefined) return pair;
  const end: SubtaskOutcome = { kind: "failed", message: "its journal could not be written" };
  const event: TaskEvent = { type: "subtask.ended", at: timeAfter(pair.parent), callId: call.callId, end };
  return { ...pair, child: undefined, wait: { at: "ended", event, because: "journal failed" } };
}
