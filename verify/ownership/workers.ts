import type { ClaimContext, ClaimEvent } from "../../machines/ownership/claim.machine.ts";
import type { LeaseContext, LeaseEvent, LeaseTimes } from "../../machines/ownership/lease.machine.ts";
import type { Answer, EffectRecord, Statement } from "./database.ts";
import { type OwnershipRules, type Plain, PlainMachine } from "./rules.ts";
import type { Sent, Worker } from "./world.ts";

/** The result of a step of a worker: its next state, and the effect that it started. */
export interface Done {
  readonly worker: Worker;
  readonly started?: number;
}

/** A possible step of a worker. */
export interface WorkerMove extends Done {
  readonly label: string;
}

const NOTHING_SENT: readonly Sent[] = [];

/** The steps of workers, as the driver of a database takes them: the real machines, around the program of a task. */
export class Workers {
  readonly leaseTicks: number;
  readonly #rules: OwnershipRules;
  readonly #effects: number;
  readonly #newLease: Plain<LeaseContext>;
  readonly #lease: PlainMachine<LeaseContext, LeaseEvent>;
  readonly #claim: PlainMachine<ClaimContext, ClaimEvent>;

  /** @param times In ticks. */
  constructor(rules: OwnershipRules, effects: number, times: LeaseTimes) {
    this.#rules = rules;
    this.#effects = effects;
    this.leaseTicks = times.leaseMs;
    this.#newLease = { value: "none", context: { ...times, sentAt: 0, deadline: 0 } };
    this.#lease = new PlainMachine(rules.lease);
    this.#claim = new PlainMachine(rules.claim);
  }

  /** A worker that was just started. */
  fresh(): Worker {
    return {
      mode: "up",
      leases: 0,
      lease: this.#newLease,
      claim: NEW_CLAIM,
      isWaiting: false,
      isLate: false,
      backlog: [],
      known: [],
      sent: NOTHING_SENT,
    };
  }

  /**
   * A worker that has sent what it can send: a statement that is sent later is one that is executed later, so only
   * renewals, whose time of sending counts, are steps of their own.
   */
  sending(worker: Worker, name: string): Worker {
    if (worker.mode !== "up") return worker;
    if (worker.lease.value === "none" && !this.isDone(worker)) return this.#register(worker, name);
    const statement = this.#taskStatement(worker, name);
    return statement === undefined ? worker : this.#send(worker, statement);
  }

  /** Steps that a worker can take by itself. */
  moves(worker: Worker, name: string): readonly WorkerMove[] {
    const moves: WorkerMove[] = [];
    const add = (label: string, done: Worker): void => {
      moves.push({ label: `${name} ${label}`, worker: done });
    };
    const { lease, running } = worker;
    if (isResting(lease) && lease.context.sentAt < 0) add("renews its lease", this.#renew(worker, name));
    if (isOverdue(worker))
      add("notices its deadline", this.#afterLease(worker, { type: "deadline.passed", at: 0 }));
    if (running !== undefined) add(`ends effect ${running}`, ended(worker, running));
    return moves;
  }

  /** A worker that receives an answer. */
  receive(worker: Worker, index: number, answer: Answer): Done {
    const { statement } = worker.sent[index] ?? {};
    const rest = { ...worker, sent: worker.sent.filter((_, each) => each !== index) };
    switch (answer.type) {
      case "registered":
      case "renewed":
      case "expired":
        return { worker: this.#afterLease(rest, { ...answer, at: 0 }) };
      case "claimed":
        return { worker: this.#opened(rest, answer) };
      case "refused":
        return { worker: { ...this.#claimed(rest, { type: "refused" }), isWaiting: true } };
      case "appended":
        return statement?.type === "append" ? this.#written(rest, statement.records) : { worker: rest };
      case "fenced":
      case "changed":
        return {
          worker: statement?.type === "append" ? this.#failed(rest, statement.records, answer) : rest,
        };
      case "ended":
      case "released":
        return { worker: rest };
    }
  }

  /** A worker whose connection is cut before an answer. The database may execute the statement later. */
  cut(worker: Worker, index: number): Worker {
    const cut = worker.sent[index];
    if (cut === undefined) return worker;
    const sent = worker.sent.map((each, at) => (at === index ? { ...each, isAwaited: false } : each));
    const after = { ...worker, sent };
    switch (cut.statement.type) {
      case "register":
      case "renew":
        return this.#afterLease(after, { type: "unanswered", at: 0 });
      case "claim":
        return this.#claimed(after, { type: "unanswered" });
      case "append":
        return this.#failed(after, cut.statement.records, { type: "unanswered" });
      default:
        return after;
    }
  }

  /** Whether the worker has done all that it knows of. */
  isDone({ known, backlog, running }: Worker): boolean {
    return (
      backlog.length === 0 &&
      running === undefined &&
      this.#rules.nextRecords(known, this.#effects).length === 0
    );
  }

  #register(worker: Worker, name: string): Worker {
    const lease = this.#lease.next(worker.lease, { type: "wanted", at: 0 });
    return this.#send({ ...worker, lease }, { type: "register", worker: workerId(name, worker) });
  }

  #renew(worker: Worker, name: string): Worker {
    const after = this.#afterLease(worker, { type: "renewal.due", at: 0 });
    const isRenewing = after.leases === worker.leases;
    return isRenewing ? this.#send(after, { type: "renew", worker: workerId(name, worker) }) : after;
  }

  /** The next statement about the task; undefined while there is none. */
  #taskStatement(worker: Worker, name: string): Statement | undefined {
    const { claim, lease, backlog, running, known } = worker;
    const id = workerId(name, worker);
    if (claim.value === "free")
      return isHeld(lease) && !worker.isWaiting && !this.isDone(worker)
        ? { type: "claim", worker: id }
        : undefined;
    const end = claim.context.known;
    if (end === undefined || claim.value !== "owned" || running !== undefined) return undefined;
    const records = backlog.length > 0 ? backlog : this.#rules.nextRecords(known, this.#effects);
    if (records.length === 0) return { type: "release", worker: id, epoch: end.epoch };
    return { type: "append", worker: id, epoch: end.epoch, from: end.length, records };
  }

  #send(worker: Worker, statement: Statement): Worker {
    const sent = { ...worker, sent: [...worker.sent, { statement, isAwaited: true }] };
    if (statement.type === "claim") return this.#claimed(sent, { type: "claim.sent" });
    if (statement.type === "append")
      return this.#claimed(sent, { type: "append.sent", bytes: statement.records.length });
    return statement.type === "release" ? { ...sent, claim: NEW_CLAIM } : sent;
  }

  #claimed(worker: Worker, event: ClaimEvent): Worker {
    return { ...worker, claim: this.#claim.next(worker.claim, event) };
  }

  /** The worker after an event of its lease. A lost one stops its effect, and the next one is another worker's. */
  #afterLease(worker: Worker, event: LeaseEvent): Worker {
    const lease = this.#lease.next(worker.lease, event);
    if (lease.value === "none") return { ...worker, lease, leases: worker.leases + 1 };
    if (lease.value !== "lost") return { ...worker, lease, isLate: false };
    const isWriting = worker.sent.find(
      ({ statement, isAwaited }) => isAwaited && statement.type === "append",
    );
    const sent = worker.sent.filter(isAppend).map((each) => ({ ...each, isAwaited: false }));
    const lost = this.#claimed(
      { ...worker, lease: this.#newLease, leases: worker.leases + 1, isLate: false, sent },
      { type: "lost" },
    );
    if (isWriting?.statement.type === "append") return withUnwritten(lost, isWriting.statement.records);
    return worker.running === undefined || !this.#rules.stopsEffects ? lost : ended(lost, worker.running);
  }

  #opened(worker: Worker, { epoch, records }: Extract<Answer, { readonly type: "claimed" }>): Worker {
    const before = worker.claim.context.known;
    const owned = this.#claimed(worker, { type: "claimed", epoch, length: records.length });
    // Another owner wrote in between: the task is opened again.
    if (owned.claim.value === "overtaken") return { ...owned, claim: NEW_CLAIM, backlog: [], known: [] };
    if (before !== undefined) {
      const executed = this.#rules.executedOf(worker.backlog, records.slice(before.length));
      if (executed !== undefined) return { ...owned, backlog: worker.backlog.slice(executed) };
      return { ...owned, claim: NEW_CLAIM, backlog: [], known: [] };
    }
    const known = records.map(({ kind, effect }) => ({ kind, effect }));
    const backlog = this.#rules.recordsAtOpening(known);
    return { ...owned, backlog, known: [...known, ...backlog] };
  }

  #written(worker: Worker, records: readonly EffectRecord[]): Done {
    const owned = this.#claimed(worker, { type: "appended" });
    const isBacklog = worker.backlog.length > 0;
    const after = { ...owned, backlog: [], known: isBacklog ? owned.known : [...owned.known, ...records] };
    const [first] = records;
    if (isBacklog || first?.kind !== "start") return { worker: after };
    const { effect } = first;
    if (this.#rules.mayStartEffects(this.#lease.resolve(after.lease), 0))
      return { worker: { ...after, running: effect }, started: effect };
    return { worker: this.#afterLease(ended(after, effect), { type: "deadline.passed", at: 0 }) };
  }

  #failed(worker: Worker, records: readonly EffectRecord[], event: ClaimEvent): Worker {
    const failed = withUnwritten(this.#claimed(worker, event), records);
    if (failed.claim.value !== "overtaken") return failed;
    return { ...failed, claim: NEW_CLAIM, backlog: [], known: [] };
  }
}

const NEW_CLAIM: Plain<ClaimContext> = { value: "free", context: { writing: 0 } };

/** The id of a worker's row. Each lease has its own. */
export const workerId = (name: string, { leases }: Worker): string => `${name}.${leases}`;

/** Whether the deadline has passed, and the worker has not noticed it. */
export const isOverdue = ({ lease }: Worker): boolean => isHeld(lease) && lease.context.deadline <= 0;

/** The worker a tick later. */
export const aged = (worker: Worker): Worker => ({ ...elapsed(worker, 1), isWaiting: false });

/** The worker whose own clock has passed some ticks. Less than 0: its clock went back. */
export function elapsed(worker: Worker, ticks: number): Worker {
  const { context, value } = worker.lease;
  const earlier = (time: number): number => Math.max(-context.leaseMs, time - ticks);
  const sentAt = value === "none" ? 0 : earlier(context.sentAt);
  const deadline = isHeld(worker.lease) ? earlier(context.deadline) : 0;
  return { ...worker, lease: { value, context: { ...context, sentAt, deadline } } };
}

/** A task that rests because its start was not written: the effect will not run, and this is recorded with the start. */
function withUnwritten(worker: Worker, records: readonly EffectRecord[]): Worker {
  if (worker.backlog.length > 0) return worker;
  const ends = records.map(({ effect }): EffectRecord => ({ kind: "end", effect }));
  return { ...worker, backlog: [...records, ...ends], known: [...worker.known, ...records, ...ends] };
}

function ended({ running: _, ...worker }: Worker, effect: number): Worker {
  const end: EffectRecord = { kind: "end", effect };
  return { ...worker, backlog: [...worker.backlog, end], known: [...worker.known, end] };
}

/** Whether a statement of a lost lease can still change something that is not explored with a cut: only an append can. */
const isAppend = ({ statement }: Sent): boolean => statement.type === "append";

const isHeld = ({ value }: Plain<LeaseContext>): boolean => typeof value === "object" && "held" in value;
const isResting = (lease: Plain<LeaseContext>): boolean => isIn(lease, "held", "resting");
const isIn = ({ value }: Plain<object>, parent: string, child: string): boolean =>
  typeof value === "object" && value[parent] === child;
