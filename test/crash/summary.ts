import { formatPoint } from "./child-input.ts";
import { type Outcome, run, type Trial } from "./matrix.ts";

/** The result of all trials. */
export interface Summary {
  readonly outcomes: readonly Outcome[];
  readonly kills: number;
  /** One line for each violation, and the command that reproduces it. */
  readonly violations: readonly string[];
  /** The counts as a text table. */
  readonly table: string;
}

/** Run trials, at most `parallel` at a time. */
export async function runAll(
  program: string,
  trials: readonly Trial[],
  parallel: number,
  onOutcome: (outcome: Outcome) => void = () => {},
  hooks = false,
): Promise<Summary> {
  const outcomes: Outcome[] = [];
  const queue = trials.values();
  const work = async (): Promise<void> => {
    for (const trial of queue) {
      const outcome = await run(program, trial, hooks);
      outcomes.push(outcome);
      onOutcome(outcome);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return {
    outcomes,
    kills: sum(outcomes, ({ kills }) => kills),
    violations: outcomes.flatMap(violationsOf),
    table: tableOf(outcomes),
  };
}

function violationsOf({ trial, broken }: Outcome): readonly string[] {
  const repeat = `npm run test:crash -- --point ${trial.points.map(formatPoint).join(" ")}`;
  return broken.map((what) => `${what}\n    ${repeat}`);
}

function tableOf(outcomes: readonly Outcome[]): string {
  const kinds = [...new Set(outcomes.map(({ trial }) => trial.kind))];
  const states = [...new Set(outcomes.map(({ from }) => from))].toSorted();
  const lines = [
    ...kinds.map((kind) =>
      lineOf(
        kind,
        outcomes.filter(({ trial }) => trial.kind === kind),
      ),
    ),
    ...states.map((state) =>
      lineOf(
        `  killed in ${state}`,
        outcomes.filter(({ from }) => from === state),
      ),
    ),
    lineOf("all", outcomes),
  ];
  return [HEAD, ...lines]
    .map((cells) => cells.map((cell, index) => (index === 0 ? cell.padEnd(36) : cell.padStart(10))).join(""))
    .join("\n");
}

const HEAD = ["point", "trials", "kills", "recovered", "uncertain", "broken"];

function lineOf(name: string, of: readonly Outcome[]): readonly string[] {
  const broken = of.filter((outcome) => outcome.broken.length > 0).length;
  return [
    name,
    of.length,
    sum(of, ({ kills }) => kills),
    of.length - broken,
    sum(of, ({ uncertain }) => uncertain),
    broken,
  ].map(String);
}

const sum = (outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number =>
  outcomes.reduce((total, outcome) => total + of(outcome), 0);
