import { LAWS_OF, type OwnershipCase } from "../../verify/ownership/cases.ts";
import type { SearchViolation } from "../../verify/ownership/search.ts";
import { type ExploredOwnership, isHeld } from "./job.ts";
import { amounts, formatTable, rounded } from "./table.ts";

/** The result of a law of the workers of one task in a database. */
interface OwnershipLawLine {
  readonly id: string;
  /** The explorations that check it. */
  readonly of: OwnershipCase["of"];
  readonly title: string;
  /** Worlds it was checked in. */
  readonly states: number;
  readonly verdict: "holds" | "broken" | "holds as far as it went";
}

/** The result of the explorations of the workers of one task in a database. */
export interface OwnershipReport {
  readonly explorations: readonly {
    readonly name: string;
    readonly of: OwnershipCase["of"];
    readonly bounds: OwnershipCase["bounds"];
    readonly states: number;
    readonly steps: number;
    readonly depth: number;
    readonly complete: boolean;
    readonly seconds: number;
  }[];
  /** Explorations that were stopped, because another found a violation. */
  readonly notEnded: readonly string[];
  readonly laws: readonly OwnershipLawLine[];
  readonly complete: boolean;
  readonly violations: readonly (SearchViolation & { readonly exploration: string })[];
}

export interface OwnershipRun {
  readonly cases: readonly OwnershipCase[];
  readonly explored: readonly ExploredOwnership[];
  /** The ids of the checked laws; all, if undefined. */
  readonly laws: readonly string[] | undefined;
}

/** Create the report of a run. */
export function createOwnershipReport({ cases, explored, laws }: OwnershipRun): OwnershipReport {
  const violations = explored.flatMap(({ violation, ownership: { name } }) =>
    violation === undefined ? [] : [{ ...violation, exploration: name }],
  );
  const kinds = (["owners", "inbox"] as const).filter((kind) => cases.some(({ of }) => of === kind));
  return {
    explorations: explored.map(({ ownership, states, steps, depth, isComplete, seconds }) => ({
      ...ownership,
      states,
      steps,
      depth,
      complete: isComplete,
      seconds: rounded(seconds),
    })),
    notEnded: cases.flatMap(({ name }) =>
      explored.some(({ ownership }) => ownership.name === name) ? [] : [name],
    ),
    laws: kinds.flatMap((of) => lawsOf(of, { cases, explored, laws })),
    complete: explored.length === cases.length && explored.every(({ isComplete }) => isComplete),
    violations,
  };
}

function lawsOf(
  of: OwnershipCase["of"],
  { cases, explored, laws }: OwnershipRun,
): readonly OwnershipLawLine[] {
  const some = explored.filter(({ ownership }) => ownership.of === of);
  const isComplete =
    some.length === cases.filter((one) => one.of === of).length && some.every((one) => one.isComplete);
  const states = some.reduce((sum, one) => sum + one.states, 0);
  return LAWS_OF[of]
    .filter(({ id }) => isHeld(laws, id))
    .map(({ id, says }) => {
      const isBroken = some.some(({ violation }) => violation?.law === id);
      const held = isComplete ? "holds" : "holds as far as it went";
      return { id, of, title: says, states, verdict: isBroken ? "broken" : held };
    });
}

/** The blocks of a report as text. */
export function ownershipBlocks({ laws, explorations, notEnded }: OwnershipReport): readonly string[] {
  return [
    formatTable(
      ["law", "of", "statement", "worlds", "verdict"],
      laws.map(({ id, of, title, states, verdict }) => [id, of, title, states, verdict]),
    ),
    formatTable(
      ["exploration of one task in a database", "worlds", "steps", "depth", "s", ""],
      explorations.map(({ name, states, steps, depth, seconds, complete }) => [
        name,
        states,
        steps,
        depth,
        seconds.toFixed(1),
        complete ? "complete" : "cut",
      ]),
    ),
    explorations.map(({ name, bounds }) => `${name}: ${boundsLine(bounds)}`).join("\n"),
    ...(notEnded.length === 0 ? [] : [`Stopped early: ${notEnded.join("; ")}.`]),
  ];
}

/** The shortest path to each violation, as text. */
export const ownershipViolations = ({ violations }: OwnershipReport): readonly string[] =>
  violations.map(
    (violation) =>
      `Exploration "${violation.exploration}", shortest counterexample:\n${formatPath(violation)}`,
  );

/** The steps to a violation, one a line, and the violation. */
const formatPath = ({ law, what, path }: SearchViolation): string => [...path, `${law}: ${what}`].join("\n");

function boundsLine({ faults = {}, ...bounds }: OwnershipCase["bounds"]): string {
  const counts = Object.entries({ ...bounds, ...faults }).filter(([, bound]) => typeof bound === "number");
  const keeps = "isBusy" in bounds && bounds.isBusy === true;
  return `${amounts(Object.fromEntries(counts))}${keeps ? "; the task keeps its owner" : ""}`;
}
