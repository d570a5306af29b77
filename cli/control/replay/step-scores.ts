import { z } from "zod";
import type { Scores } from "../../../control/monitor.ts";
import type { RecordedStep } from "../../../runtime/control-replay/recorded-step.ts";
import { CliError, errorMessage } from "../../error.ts";
import { checkedValue } from "../../log/checked-value.ts";
import { readUserText } from "../../text-file.ts";

/** The scores at points of a log, by digest, call id or request id. */
export type StepScores = ReadonlyMap<string, Scores>;

const schema = z.record(z.string(), z.record(z.string(), z.number().min(0).max(1)));

const FORM = `{"CALL":{"trusted":0.9}}`;

/** Read the scores of points from a JSON file. @throws CliError for another file */
export async function readStepScores(file: string): Promise<StepScores> {
  try {
    const value: unknown = JSON.parse(await readUserText(file));
    const noun = `scores from 0 to 1 by digest, call id or request id, such as ${FORM}`;
    return new Map(Object.entries(checkedValue(schema, { value, where: "the scores" }, file, noun)));
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(
      `--scores: expected a JSON file such as ${FORM}, ${file} can't be read (${errorMessage(cause)}). Correct it.`,
      { cause },
    );
  }
}

/** The scores at a step: of the file by its digest, else by the id of its call or request, else of the journal. */
export const scoresAt = (scores: StepScores, step: RecordedStep): Scores =>
  Object.fromEntries(
    [step.recorded, ...keysOf(step).map((key) => scores.get(key) ?? {})].flatMap((each) =>
      Object.entries(each),
    ),
  );

/** Reject scores that belong to no step. @throws CliError with one of them */
export function assertUsed(scores: StepScores, steps: readonly RecordedStep[], file: string): void {
  const keys = new Set(steps.flatMap(keysOf));
  const unused = [...scores.keys()].find((key) => !keys.has(key));
  if (unused !== undefined)
    throw new CliError(
      `--scores: expected the digest, call id or request id of a point of the log, got ${JSON.stringify(unused)} in ${file}. --format json prints them all.`,
    );
}

/** The keys of a step, the most specific one last. */
const keysOf = (step: RecordedStep): readonly string[] => [
  step.point === "response" ? step.requestId : step.callId,
  step.digest,
];
