import { setMaxListeners } from "node:events";
import { type ActorRefFrom, createActor } from "xstate";
import {
  type LeaseEvent,
  type LeaseTimes,
  leaseMachine,
  mayStartEffects,
} from "../../machines/ownership/lease.machine.ts";
import type { Clock } from "../../ports/clock.ts";
import type { HeldLease, LeaseStatements, Leases } from "../../ports/ownership.ts";
import { steadyClock } from "./steady-clock.ts";

export interface WorkerLeasesOptions extends LeaseTimes {
  readonly statements: LeaseStatements;
  readonly clock: Clock;
  /** The worker's own time, in ms, which never goes back. Default: a steady clock of the system. */
  readonly now?: () => number;
}

/** Renewals in the time of a lease: two may fail. */
const RENEWALS = 3;
/** Tries of a renewal that fails, in the time of a lease. */
const TRIES = 10;

/** Keeps a lease by its machine: sends the statements, and wakes it when a renewal or the deadline is due. */
export class WorkerLeases implements Leases {
  readonly #options: WorkerLeasesOptions;
  readonly #now: () => number;
  #current: Lease | undefined;
  #isEnded = false;

  constructor(options: WorkerLeasesOptions) {
    this.#options = options;
    this.#now = options.now ?? steadyClock();
  }

  async held(): Promise<HeldLease | undefined> {
    if (this.#isEnded) return undefined;
    if (this.#current === undefined || this.#current.isOver)
      this.#current = new Lease(this.#options, this.#now);
    return this.#current.registered;
  }

  /** Time to the deadline of the current lease, in ms. Undefined: none is held. */
  get remainingMs(): number | undefined {
    return this.#current?.remainingMs;
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#current?.end();
  }
}

/** One lease, from its registration to its end. */
class Lease {
  /** Rejects if the registration failed. */
  readonly registered: Promise<HeldLease>;
  readonly #options: WorkerLeasesOptions;
  readonly #now: () => number;
  readonly #actor: ActorRefFrom<typeof leaseMachine>;
  readonly #lost = new AbortController();
  #timers: readonly (() => void)[] = [];

  constructor(options: WorkerLeasesOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
    this.#actor = createActor(leaseMachine, { input: options });
    this.#actor.start();
    // Each journal that the worker owns listens.
    setMaxListeners(0, this.#lost.signal);
    this.#send({ type: "wanted", at: now() });
    this.registered = this.#register();
  }

  /** Whether it can't be used, or never could. */
  get isOver(): boolean {
    return !this.#actor.getSnapshot().matches("registering") && !this.#holds();
  }

  get remainingMs(): number | undefined {
    return this.#holds() ? this.#actor.getSnapshot().context.deadline - this.#now() : undefined;
  }

  async end(): Promise<void> {
    const { worker } = this.#actor.getSnapshot().context;
    this.#send({ type: "ended", at: this.#now() });
    // If the database can't be reached, the lease ends by itself.
    if (worker !== undefined) await this.#options.statements.end(worker);
  }

  /** A process that was stopped finds the deadline passed before its timer has fired. */
  #holds(): boolean {
    const state = this.#actor.getSnapshot();
    if (mayStartEffects(state, this.#now())) return true;
    if (state.matches("held")) this.#send({ type: "deadline.passed", at: this.#now() });
    return false;
  }

  async #register(): Promise<HeldLease> {
    try {
      const worker = await this.#options.statements.register();
      this.#send({ type: "registered", worker, at: this.#now() });
      if (!this.#actor.getSnapshot().matches("held"))
        throw new Error(`Registering took longer than the lease of ${this.#options.leaseMs} ms. Try again.`);
      return {
        worker,
        lost: this.#lost.signal,
        holds: () => this.#holds(),
      };
    } catch (error) {
      this.#send({ type: "unanswered", at: this.#now() });
      throw error;
    }
  }

  async #renew(worker: string): Promise<void> {
    try {
      const renewal = await this.#options.statements.renew(worker);
      this.#send({ type: renewal, at: this.#now() });
    } catch {
      // The next try, or the deadline, follows from the machine.
      this.#send({ type: "unanswered", at: this.#now() });
    }
  }

  #send(event: LeaseEvent): void {
    // An answer that comes after the end of the lease.
    if (this.#actor.getSnapshot().status === "done") return;
    this.#actor.send(event);
    const state = this.#actor.getSnapshot();
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
    if (state.matches("lost")) this.#lost.abort();
    if (!state.matches("held")) return;
    const { deadline, sentAt, worker, leaseMs } = state.context;
    this.#at(deadline, () => this.#send({ type: "deadline.passed", at: this.#now() }));
    if (!state.matches({ held: "resting" }) || worker === undefined) return;
    const pause = event.type === "unanswered" ? leaseMs / TRIES : leaseMs / RENEWALS;
    this.#at(sentAt + pause, () => {
      this.#send({ type: "renewal.due", at: this.#now() });
      if (this.#actor.getSnapshot().matches({ held: "renewing" })) void this.#renew(worker);
    });
  }

  /** Call `fire` once the worker's own time has come. */
  #at(time: number, fire: () => void): void {
    const delay = Math.max(0, time - this.#now());
    this.#timers = [...this.#timers, this.#options.clock.after(delay, fire, { keepsAlive: false })];
  }
}
