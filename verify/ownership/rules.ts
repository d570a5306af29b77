import { type AnyMachineSnapshot, type AnyStateMachine, transition } from "xstate";
import { claimMachine } from "../../machines/ownership/claim.machine.ts";
import { leaseMachine, mayStartEffects } from "../../machines/ownership/lease.machine.ts";
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
  readonly timeSeen: typeof timeSeen;
  /** Whether a worker whose lease is lost stops its effect. */
  readonly stopsEffects: boolean;
}

/** The time that passes on a worker's clock when the clock of its system is set. Less than 0: the system's clock is set back. */
export const timeSeen = (set: number): number => Math.max(0, set);

export const OWNERSHIP_RULES: OwnershipRules = {
  lease: leaseMachine,
  claim: claimMachine,
  mayStartEffects,
  execute,
  nextRecords,
  recordsAtOpening,
  executedOf,
  timeSeen,
  stopsEffects: true,
};

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
