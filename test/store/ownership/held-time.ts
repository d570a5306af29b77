import type { Clock } from "../../../ports/clock.ts";
import type { HeldLease, LeaseStatements, Leases, Renewal } from "../../../ports/ownership.ts";
import { WorkerLeases } from "../../../store/ownership/worker-leases.ts";

/** The worker's own time, and timers that fire when the test says so. */
export class HeldTime {
  now = 0;
  #timers: { readonly due: number; readonly fire: () => void }[] = [];

  readonly clock: Clock = {
    now: () => 0,
    after: (delayMs, fire) => {
      const timer = { due: this.now + delayMs, fire };
      this.#timers.push(timer);
      return () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      };
    },
  };

  /** Let time pass and fire what is due, with everything that follows. */
  async moveTo(time: number): Promise<void> {
    for (let timer = this.#next(time); timer !== undefined; timer = this.#next(time)) {
      this.now = Math.max(this.now, timer.due);
      this.#timers = this.#timers.filter((other) => other !== timer);
      timer.fire();
      await settled();
    }
    this.now = Math.max(this.now, time);
  }

  #next(time: number) {
    const due = this.#timers.filter((timer) => timer.due <= time);
    return due.sort((one, other) => one.due - other.due)[0];
  }
}

/** Wait until all promises that can settle have settled. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Sent {
  readonly type: "register" | "renew" | "end";
  readonly at: number;
  readonly worker: string;
}

/** Statements that the test answers. */
export class AnsweredStatements implements LeaseStatements {
  readonly sent: Sent[] = [];
  /** Answers the next statements. */
  registration: () => Promise<void> = async () => {};
  renewal: () => Promise<Renewal> = async () => "renewed";
  readonly #time: HeldTime;

  constructor(time: HeldTime) {
    this.#time = time;
  }

  async register(): Promise<string> {
    const worker = `worker-${this.#count("register") + 1}`;
    this.#send("register", worker);
    await this.registration();
    return worker;
  }

  renew(worker: string): Promise<Renewal> {
    this.#send("renew", worker);
    return this.renewal();
  }

  async end(worker: string): Promise<void> {
    this.#send("end", worker);
  }

  /** The times at which statements were sent. */
  timesOf(type: Sent["type"]): readonly number[] {
    return this.sent.filter((each) => each.type === type).map(({ at }) => at);
  }

  #count(type: Sent["type"]): number {
    return this.timesOf(type).length;
  }

  #send(type: Sent["type"], worker: string): void {
    this.sent.push({ type, worker, at: this.#time.now });
  }
}

/** Leases of 900 ms whose effects stop at 750 ms. */
export function createLeases() {
  const time = new HeldTime();
  const statements = new AnsweredStatements(time);
  const options = { statements, clock: time.clock, now: () => time.now, leaseMs: 900, marginMs: 150 };
  const leases = new WorkerLeases(options);
  return { time, statements, leases };
}

/** The current lease of leases that have not ended. */
export async function heldBy(leases: Leases): Promise<HeldLease> {
  const lease = await leases.held();
  if (lease === undefined) throw new Error("The leases have ended.");
  return lease;
}
