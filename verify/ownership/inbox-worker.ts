import type { InboxEvent } from "../../machines/ownership/inbox.machine.ts";
import { Deliveries, type DeliveryStep, type InboxRules } from "./inbox-rules.ts";
import type { InboxAnswer, InboxStatement, InboxWorker } from "./inbox-world.ts";

/** A worker after a step, and how the handler of its wake ended, if it did: `again`, the wake is delivered again. */
export interface WorkerStep {
  readonly worker: InboxWorker;
  readonly wake?: "done" | "again";
}

/** The steps of workers that handle wakes: the real machine of the delivery, around a journal. */
export class InboxWorkers {
  readonly #rules: InboxRules;
  readonly #deliveries: Deliveries;
  readonly #commands: number;
  readonly #isBusy: boolean;

  /** @param isBusy Whether the task has work until it has taken all commands: the last one cancels it, for example. */
  constructor(rules: InboxRules, commands: number, isBusy: boolean) {
    this.#rules = rules;
    this.#deliveries = new Deliveries(rules.machine);
    this.#commands = commands;
    this.#isBusy = isBusy;
  }

  fresh(): InboxWorker {
    return { isUp: true, isWoken: false, backlog: [], known: 0, isListening: true, isNotified: false };
  }

  /** A worker that takes the wake. */
  woken(worker: InboxWorker): InboxWorker {
    return send({ ...worker, isWoken: true }, { type: "claim" });
  }

  /** A worker that receives the answer to its statement. */
  receive({ sent, ...worker }: InboxWorker, answer: InboxAnswer): WorkerStep {
    switch (answer.type) {
      case "claimed": {
        const { epoch, records } = answer;
        const owner = { ...worker, epoch, known: records.length };
        if (!this.#rules.waitsForInbox && !this.#isBusy) return { worker: release(owner, epoch) };
        return { worker: this.#after(owner, this.#deliveries.begin(this.#rules.takenIn(records))) };
      }
      case "refused":
      case "fenced":
        return lost(worker);
      case "read": {
        const commands = answer.rows.map(({ position, id }) => ({ position, command: id }));
        return { worker: this.#sent(worker, { type: "read", commands }) };
      }
      case "appended":
        return { worker: this.#appended(worker, sent?.statement) };
      case "removed":
        return { worker: this.#sent(worker, { type: "removed" }) };
      case "released":
        if (sent?.statement.type === "release" && sent.statement.epoch === undefined) return lost(worker);
        return { worker: { ...worker, isWoken: false }, wake: "done" };
    }
  }

  /** A worker whose statement has no answer. */
  cut({ sent, ...worker }: InboxWorker): WorkerStep {
    const type = sent?.statement.type;
    // The claim may have been made: the driver releases the task when it is closed.
    if (type === "claim") return { worker: send(worker, { type: "release" }) };
    if (type === "release") return lost(worker);
    return { worker: this.#sent(worker, { type: "failed" }) };
  }

  /** A worker whose delivery gets an event. */
  #sent(worker: InboxWorker, event: InboxEvent): InboxWorker {
    const { delivery } = worker;
    return delivery === undefined ? worker : this.#after(worker, this.#deliveries.next(delivery, event));
  }

  /** A worker that a notification reaches, or the report of a gap. */
  notified(worker: InboxWorker): InboxWorker {
    return this.#sent(worker, { type: "added" });
  }

  /** A worker whose time to try again has come. */
  retried(worker: InboxWorker): InboxWorker {
    return this.#sent(worker, { type: "retry.due" });
  }

  #after(worker: InboxWorker, { delivery, effects }: DeliveryStep): InboxWorker {
    let now: InboxWorker = { ...worker, delivery };
    for (const effect of effects) now = this.#executed(now, effect);
    return now;
  }

  #executed(worker: InboxWorker, effect: string): InboxWorker {
    const { delivery, backlog, epoch = 0 } = worker;
    if (delivery === undefined) return worker;
    const { taken, waiting } = delivery.context;
    switch (effect) {
      case "write":
        return backlog.length === 0 ? this.#sent(worker, { type: "written" }) : this.#append(worker);
      case "read":
        return send(worker, { type: "read", after: taken });
      case "take": {
        const [next] = waiting;
        if (next === undefined || typeof next.command !== "number") return worker;
        const records = this.#rules.recordsOf(next.position, next.command);
        return this.#sent({ ...worker, backlog: [...backlog, ...records] }, { type: "taken" });
      }
      case "remove":
        return send(worker, { type: "remove", upTo: taken });
      case "rest":
        return this.#isBusy && taken < this.#commands ? worker : release(worker, epoch);
      default:
        return worker;
    }
  }

  #append(worker: InboxWorker): InboxWorker {
    const { backlog, known, epoch = 0 } = worker;
    const records = backlog.slice(0, this.#rules.appended(backlog));
    return send(worker, { type: "append", epoch, from: known, records });
  }

  #appended(worker: InboxWorker, statement: InboxStatement | undefined): InboxWorker {
    const count = statement?.type === "append" ? statement.records.length : 0;
    const backlog = worker.backlog.slice(count);
    const written = { ...worker, backlog, known: worker.known + count };
    return backlog.length > 0 ? this.#append(written) : this.#sent(written, { type: "written" });
  }
}

/** A worker that no longer owns the task: it closes the task, and the handler of its wake rejects. */
export function lost({ delivery: _, epoch: _epoch, sent: _sent, ...worker }: InboxWorker): WorkerStep {
  return { worker: { ...worker, isWoken: false, backlog: [], known: 0 }, wake: "again" };
}

const send = (worker: InboxWorker, statement: InboxStatement): InboxWorker => ({
  ...worker,
  sent: { statement },
});

/** A worker whose delivery stops and that releases the task. */
function release({ delivery: _, epoch: _epoch, ...worker }: InboxWorker, epoch: number): InboxWorker {
  return send(worker, { type: "release", epoch });
}
