import type { taskMachine } from "../../machines/task/task.machine.ts";
import { CALL_TABLE } from "../../machines/tool-call/call.table.ts";
import { RACE_CASE } from "../../verify/cases.ts";
import type { Coverage } from "../../verify/coverage.ts";
import type { Violation } from "../../verify/exploration.ts";
import type { RaceMatrix } from "../../verify/races.ts";
import { withCounts } from "../../visualize/page/model/verification-counts.ts";
import { machineTransitions } from "../../visualize/trace/transitions/transition-table.ts";
import type {
  Verification,
  VerificationCounts,
  VerifiedRaces,
  VerifiedTransition,
} from "../../wire/http/verification.ts";
import { writeNewFile } from "./counterexample.ts";
import type { FoundViolation } from "./found-violation.ts";
import type { Explored } from "./job.ts";
import type { Report } from "./report.ts";
import { type RecordedCounts, transitionKey } from "./transition-counter.ts";

/** The parts of a verification that its page shows. */
export interface VerificationParts {
  readonly report: Report;
  readonly explored: readonly Explored[];
  readonly machine: typeof taskMachine;
  /** Absent: a law is broken, so no pairs were explored. */
  readonly races: RaceMatrix | undefined;
  /** The path to a violation in a pair of events, as text. */
  readonly trace: (violation: Violation) => string;
  /** Absent: no recorded tasks are counted. */
  readonly recorded: RecordedCounts | undefined;
}

/** The verification as the page shows it. */
export function verificationOf({
  report,
  explored,
  machine,
  races,
  trace,
  recorded,
}: VerificationParts): Verification {
  const { states, steps, depth, seconds, complete } = report;
  const verification: Verification = {
    figures: { states, steps, depth, seconds, complete },
    explorations: report.explorations.map(({ name, states, steps, depth, seconds, complete }) => ({
      name,
      states,
      steps,
      depth,
      seconds,
      complete,
    })),
    laws: report.laws.map(({ id, title, verdict, macrosteps, heldBy }) => ({
      id,
      title,
      verdict,
      macrosteps,
      ...(heldBy !== undefined && { heldBy }),
    })),
    states: Object.fromEntries(summed(explored.map(({ visited }) => visited))),
    transitions: taskTransitions(machine, summed(explored.map(({ coverage }) => coverage.transitions))),
    callTransitions: callTransitions(summed(explored.map(({ coverage }) => coverage.calls))),
    ...(races !== undefined && { races: racesOf(races) }),
    violations: [
      ...report.violations.map(({ law, what, exploration, trace }) => ({ law, what, exploration, trace })),
      ...(races?.violations ?? []).map((violation) => ({
        law: violation.law,
        what: violation.what,
        exploration: RACE_CASE.name,
        trace: trace(violation),
      })),
    ],
  };
  return recorded === undefined ? verification : withCounts(verification, countsOn(verification, recorded));
}

/** The counts of recorded tasks on the transitions of a verification. */
export const countsOn = (
  { transitions: rows }: Verification,
  { tasks, transitions }: RecordedCounts,
): VerificationCounts => ({
  recorded: tasks,
  transitions: rows.map(({ source, event, guard, target }) => {
    // A journal does not show whether an event was processed in a state that stays.
    if (target === "" || target === source) return null;
    return transitions.get(transitionKey(`${source} -> ${target}`, event, guard)) ?? { times: 0, perhaps: 0 };
  }),
});

/** Write the page of a verification. @throws CliError where it can't be written @throws TracePageError `PAGE_NOT_BUILT` */
export const writeReport = (
  file: string,
  verification: Verification,
  found: FoundViolation | undefined,
): Promise<void> =>
  writeNewFile(file, "the report", async () => {
    const { createReportPage } = await import("./page.ts");
    return createReportPage(verification, found);
  });

type Counts = Coverage["transitions"];

/** The sums of counts with the same name. */
function summed(all: readonly Counts[]): Counts {
  const sums = new Map<string, number>();
  for (const counts of all) for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

/** The transitions of the machine, without entries and exits. */
const taskTransitions = (machine: typeof taskMachine, explored: Counts): VerifiedTransition[] =>
  machineTransitions(machine)
    .filter(({ event }) => event !== "entry" && event !== "exit")
    .map(({ state: source, event, guard, target }) => {
      const condition = guard === "" ? "" : ` [${guard}]`;
      const name = `${source} ${event}${condition} -> ${target || "stays"}`;
      return { source, event, guard, target, explored: explored.get(name) ?? 0 };
    });

const callTransitions = (explored: Counts): VerifiedTransition[] =>
  Object.entries(CALL_TABLE).flatMap(([source, row]) =>
    Object.entries(row).flatMap(([event, targets]) =>
      [targets].flat().map((target) => ({
        source,
        event,
        guard: "",
        target,
        explored: explored.get(`${source} ${event} -> ${target}`) ?? 0,
      })),
    ),
  );

const racesOf = ({ pairs, complete, races }: RaceMatrix): VerifiedRaces => ({
  pairs,
  complete,
  races: races.map(({ first, second, end, in: counts, outcomes: [one, other] }) => ({
    first,
    second,
    end,
    isSame: end === "same outcome",
    in: Object.fromEntries(counts),
    outcomes: [[...one], [...other]],
  })),
});
