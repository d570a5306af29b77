import { type AnyStateMachine, initialTransition, transition } from "xstate";
import { type InboxContext, type InboxEvent, inboxMachine } from "../../machines/ownership/inbox.machine.ts";
import { executeInbox, putCommand } from "./inbox-database.ts";
import type { CommandRecord } from "./inbox-world.ts";
import { type Plain, PlainMachine } from "./rules.ts";

/** The parts that an exploration of inboxes explores. A test replaces parts of them to see that the laws find the fault. */
export interface InboxRules {
  readonly machine: typeof inboxMachine;
  readonly execute: typeof executeInbox;
  readonly put: typeof putCommand;
  /** The records of a command that is taken. */
  readonly recordsOf: (position: number, id: number) => readonly CommandRecord[];
  /** The number of records of a backlog that one append writes. */
  readonly appended: (backlog: readonly CommandRecord[]) => number;
  /** The position at which an owner begins, by the records of the task. */
  readonly takenIn: (records: readonly CommandRecord[]) => number;
  /** Whether the gap of notifications is reported to the delivery. */
  readonly reportsGaps: boolean;
  /** Whether a handler of a wake waits until the inbox was read. */
  readonly waitsForInbox: boolean;
  /** Whether a sender wakes the task after a put. */
  readonly wakes: boolean;
  /** Whether a wake is delivered again after the worker that took it was killed. */
  readonly redelivers: boolean;
  /** Whether a put notifies the workers. */
  readonly notifies: boolean;
  /** Whether a statement that failed is repeated. */
  readonly retries: boolean;
}

export const INBOX_RULES: InboxRules = {
  machine: inboxMachine,
  execute: executeInbox,
  put: putCommand,
  recordsOf: (position, effect) => [{ effect, position }],
  appended: (backlog) => backlog.length,
  takenIn: (records) => records.findLast(({ position }) => position !== undefined)?.position ?? 0,
  reportsGaps: true,
  waitsForInbox: true,
  wakes: true,
  redelivers: true,
  notifies: true,
  retries: true,
};

/** A delivery after an event, and what it does next. */
export interface DeliveryStep {
  readonly delivery: Plain<InboxContext>;
  readonly effects: readonly string[];
}

/** Transitions of the machine with their effects. There are few distinct ones, so each is computed once. */
export class Deliveries {
  readonly #machine: AnyStateMachine;
  readonly #plain: PlainMachine<InboxContext, InboxEvent>;
  readonly #known = new Map<string, DeliveryStep>();

  constructor(machine: typeof inboxMachine) {
    this.#machine = machine;
    this.#plain = new PlainMachine(machine);
  }

  /** The delivery of a new owner. */
  begin(taken: number): DeliveryStep {
    const [{ value, context }, actions] = initialTransition(this.#machine, { taken });
    return { delivery: { value, context }, effects: actions.map(({ type }) => type) };
  }

  next(before: Plain<InboxContext>, event: InboxEvent): DeliveryStep {
    const key = JSON.stringify([before, event]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [{ value, context }, actions] = transition(this.#machine, this.#plain.resolve(before), event);
    const step = { delivery: { value, context }, effects: actions.map(({ type }) => type) };
    this.#known.set(key, step);
    return step;
  }
}
