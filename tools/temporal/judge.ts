import type { RecordPlace } from "../../machines/message/message.ts";
import type { Objection } from "../../machines/tool-call/call.ts";
import type { Approver, PolicyEvent } from "./event.ts";
import type { CompiledPolicies, PolicyMonitor } from "./monitor.ts";
import { type BrokenClause, detailsOf, formatBrokenClause } from "./policy.ts";

/**
 * Judges a call by the events until now, with a copy of the monitor that checks recorded logs: what it has no objection to
 * is no violation when it is the next event.
 */
export class TemporalJudge {
  readonly #monitor: PolicyMonitor;
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

  /** The objection to a call as the next event. `by`: who permits it. */
  objectionTo(event: PolicyEvent, by: Approver): Objection | undefined {
    const [broken] = this.#monitor.judge({ ...event, by }).broken;
    if (broken === undefined) return undefined;
    const { policy, clause } = broken;
    const since = this.#placesOf(broken);
    const place = formatPlaces(since);
    return {
      rule: `${policy}: ${clause}`,
      reason: `${["This is not allowed now", ...detailsOf(broken, place)].join(", ")}.`,
      clause: { policy, clause, since },
      because: formatBrokenClause(broken, place),
    };
  }

  /** The records of the events that decide a clause. */
  #placesOf({ since }: BrokenClause): readonly RecordPlace[] {
    const places = since.flatMap((position) => this.#places[position] ?? []);
    return places.filter((place, index) => !isSamePlace(place, places[index - 1]));
  }
}

const placeOf = ({ seq, task }: PolicyEvent): RecordPlace | undefined =>
  seq === undefined ? undefined : { seq, ...(task !== undefined && { task }) };

const isSamePlace = (one: RecordPlace, other: RecordPlace | undefined): boolean =>
  one.seq === other?.seq && one.task === other.task;

const formatPlaces = (places: readonly RecordPlace[]): string =>
  places.map(({ seq, task }) => `record ${seq}${task === undefined ? "" : ` of task ${task}`}`).join(", ");
