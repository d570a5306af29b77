import type { PolicyEvent, ProtocolDecision } from "../../tools/temporal/event.ts";
import { compilePolicies } from "../../tools/temporal/monitor.ts";
import type { BrokenClause, TemporalPolicy } from "../../tools/temporal/policy.ts";
import { type RecordedEvents, readRecordedEvents } from "./recorded-events.ts";

/** A clause that an event of a log breaks. */
export interface LogBreach extends Pick<BrokenClause, "policy" | "clause" | "values" | "limit"> {
  /** Number of the record or entry of the event. */
  readonly at: number;
  /** Numbers of those that decide it. */
  readonly since: readonly number[];
  /** The event, in one line. */
  readonly event: string;
}

/** The check of a recorded log against policies over time. */
export interface CheckedPolicies extends Pick<RecordedEvents, "file" | "counts"> {
  readonly policies: readonly string[];
  /** Number of events. */
  readonly events: number;
  readonly breaches: readonly LogBreach[];
}

/** Check policies against a recorded log. @throws CliError for a file that is no journal and no conversation */
export async function checkRecordedPolicies(
  file: string,
  policies: readonly TemporalPolicy[],
): Promise<CheckedPolicies> {
  const recorded = await readRecordedEvents(file);
  const monitor = compilePolicies(policies).start();
  // The events of other tasks also decide; their numbers are of other journals.
  const seqsOf = (position: number): readonly number[] => {
    const event = recorded.events[position];
    return event?.task === undefined ? [event?.seq ?? position] : [];
  };
  const breaches = recorded.events.flatMap((event): readonly LogBreach[] => {
    monitor.add(event);
    if (event.task !== undefined) return [];
    return monitor.verdict.broken.map(({ at, since, ...clause }) => ({
      ...clause,
      at: event.seq ?? at,
      since: [...new Set(since.flatMap(seqsOf))],
      event: formatEvent(event),
    }));
  });
  return {
    file: recorded.file,
    counts: recorded.counts,
    policies: policies.map(({ name }) => name),
    events: recorded.events.length,
    breaches,
  };
}

/** Format an event of a task in one line. */
export function formatEvent({
  kind,
  tool = "",
  command,
  paths = [],
  hosts = [],
  ...decision
}: PolicyEvent): string {
  const parts = [kind, tool, command ?? [...paths, ...hosts].join(" "), formatDecision(decision)];
  return parts.filter((part) => part !== "").join(" ");
}

/** Format a decision of a control protocol, such as `(audit, trusted 0.9)`. Empty for none. */
function formatDecision({ verdict, scores = {} }: ProtocolDecision): string {
  const known = Object.entries(scores).map(([monitor, score]) => `${monitor} ${score}`);
  return verdict === undefined ? "" : `(${[verdict, ...known].join(", ")})`;
}
