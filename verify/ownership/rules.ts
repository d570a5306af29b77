import { type AnyMachineSnapshot, type AnyStateMachine, transition } from "xstate";
import { claimMachine } from "../../machines/ownership/claim.machine.ts";
import { type LeaseTimes, leaseMachine, mayStartEffects } from "../../machines/ownership/lease.machine.ts";
import { execute } from "./database.ts";
import { executedOf, nextRecords, recordsAtOpening } from "./program.ts";

/** The parts that an exploration explores. A test replaces parts of it to see that the laws find the fault. */
export interface OwnershipRules {
  readonly lease: typeof leaseMachine;
  readonly claim: typeof claimMachine;
  readonly mayStartEffects: typeof mayStartEffects;
  readonly execute: typeof execute;
  readonly nextRecords: typeof nextRecords;
  readonly recordsAtOpening: typeof recordsAtOpening;
  readonly executedOf: typeof executedOf;
  /** Whether a worker whose lease is lost stops its effect. */
  readonly stopsEffects: boolean;
}

export const OWNERSHIP_RULES: OwnershipRules = {
  lease: leaseMachine,
  claim: claimMachine,
  mayStartEffects,
  execute,
  nextRecords,
  recordsAtOpening,
  executedOf,
  stopsEffects: true,
};

/** Times in ticks: a lease of four; the last one is left for stopping. */
export const LEASE_TICKS: LeaseTimes = { leaseMs: 4, marginMs: 1 };

/** A snapshot of a machine that can be compared by its text. */
export interface Plain<Context> {
  readonly value: AnyMachineSnapshot["value"];
  readonly context: Context;
}

/** Transitions of a machine over plain snapshots. There are few distinct ones, so each is computed once. */
export class PlainMachine<Context extends object, Event extends { readonly type: string }> {
  readonly #machine: AnyStateMachine;
  readonly #known = new Map<string, Plain<Context>>();

  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
  }

  next(before: Plain<Context>, event: Event): Plain<Context> {
    const key = JSON.stringify([before, event]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [{ value, context }] = transition(this.#machine, this.resolve(before), event);
    const after: Plain<Context> = { value, context };
    this.#known.set(key, after);
    return after;
  }

  resolve({ value, context }: Plain<Context>): AnyMachineSnapshot {
    return this.#machine.resolveState({ value, context });
  }
}
