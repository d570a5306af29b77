import type { RecordPlace } from "../machines/message/index.ts";
import type { Verdict } from "../machines/tool-call/index.ts";
import type { Approver, PolicyEvent } from "./event.ts";
import type { CompiledPolicies, PolicyMonitor } from "./monitor.ts";
import { type BrokenClause, detailsOf, formatBrokenClause } from "./policy.ts";

/** A call that is judged: its event if it started now, and what the other policies decided. */
export interface JudgedStart {
  readonly callId: string;
  readonly event: PolicyEvent;
  readonly verdict: Exclude<Verdict, { kind: "deny" }>;
}

/**
 * Judges calls before they start, with a copy of the monitor. It allows nothing that the other policies don't. Calls of
 * one response are judged before any of them starts, so those that were judged and may still start count, too, in both
 * orders.
 */
export class TemporalJudge {
  readonly #monitor: PolicyMonitor;
  /** The events of the calls that were judged and have not started. */
  readonly #pending = new Map<string, PolicyEvent>();
  /** The records of the events so far, by their positions. */
  readonly #places: (RecordPlace | undefined)[] = [];

  constructor(policies: CompiledPolicies) {
    this.#monitor = policies.start();
  }

  /** Add what happened. */
  add(event: PolicyEvent): void {
    this.#monitor.add(event);
    this.#places.push(placeOf(event));
  }

  /** A call has started, or never will. */
  release(callId: string): void {
    this.#pending.delete(callId);
  }

  /** The turn has ended: no call is left that may start. */
  releaseAll(): void {
    this.#pending.clear();
  }

  /** Judge a call. A clause that holds only if a person permits the call is asked about, any other one denies it. */
  judge({ callId, event, verdict }: JudgedStart): Verdict {
    this.#pending.delete(callId);
    const broken = this.#firstBroken(event, verdict.kind === "allow" ? "policy" : "person");
    if (broken === undefined) return this.#keep(callId, event, verdict);
    const stillBroken = verdict.kind === "allow" ? this.#firstBroken(event, "person") : broken;
    if (stillBroken === undefined)
      return this.#keep(callId, event, {
        kind: "ask",
        because: formatBrokenClause(broken, this.#placeOf(broken)),
      });
    const { policy, clause } = stillBroken;
    return {
      kind: "deny",
      rule: `${policy}: ${clause}`,
      reason: `${["This is not allowed now", ...detailsOf(stillBroken, this.#placeOf(stillBroken))].join(", ")}.`,
      clause: { policy, clause, since: this.#placesOf(stillBroken) },
    };
  }

  #placeOf(broken: BrokenClause): string {
    const isPending = broken.since.some((position) => position >= this.#monitor.length);
    return formatPlaces(this.#placesOf(broken), isPending);
  }

  /** The records of the events that decide a clause. A call that has not started is in none. */
  #placesOf({ since }: BrokenClause): readonly RecordPlace[] {
    const places = since.flatMap((position) => this.#places[position] ?? []);
    return places.filter((place, index) => !isSamePlace(place, places[index - 1]));
  }

  #keep(callId: string, event: PolicyEvent, verdict: Verdict): Verdict {
    this.#pending.set(callId, { ...event, by: verdict.kind === "allow" ? "policy" : "person" });
    return verdict;
  }

  #firstBroken(event: PolicyEvent, by: Approver): BrokenClause | undefined {
    const candidate = { ...event, by };
    const pending = [...this.#pending.values()];
    const orders = [
      [candidate],
      [...pending, candidate],
      ...(pending.length > 0 ? [[candidate, ...pending]] : []),
    ];
    for (const order of orders) {
      const next = this.#monitor.copy();
      for (const one of order) {
        next.add(one);
        const [broken] = next.verdict.broken;
        // An earlier call that was pending is judged already; it may not start.
        if (broken !== undefined && (one === candidate || order[0] === candidate)) return broken;
      }
    }
    return undefined;
  }
}

const placeOf = ({ seq, task }: PolicyEvent): RecordPlace | undefined =>
  seq === undefined ? undefined : { seq, ...(task !== undefined && { task }) };

const isSamePlace = (one: RecordPlace, other: RecordPlace | undefined): boolean =>
  one.seq === other?.seq && one.task === other.task;

function formatPlaces(places: readonly RecordPlace[], isPending: boolean): string {
  const records = places.map(
    ({ seq, task }) => `record ${seq}${task === undefined ? "" : ` of task ${task}`}`,
  );
  return [...records, ...(isPending ? ["another call of this response"] : [])].join(", ");
}
