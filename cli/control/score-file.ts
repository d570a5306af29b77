import { z } from "zod";
import type { MeasuredScores } from "../../control/worst-case/measured-scores.ts";
import { CliError, errorMessage } from "../error.ts";
import { checkedValue } from "../log/checked-value.ts";
import { readUserText } from "../text-file.ts";
import { readRunRows } from "./report/run-rows.ts";
import { scoresIn } from "./run-scores.ts";

const scores = z.array(z.number().min(0).max(1)).min(1);
const schema = z.record(z.string(), z.strictObject({ honest: scores, attack: scores }));

const FORM = `{"trusted":{"honest":[0.1],"attack":[0.9]}}`;

/** Read the measured scores of monitors: a JSON file, or the runs of a JSONL file. @throws CliError for another file */
export async function readScoreFile(file: string): Promise<MeasuredScores> {
  if (file.endsWith(".jsonl")) return scoresIn((await readRunRows(file)).rows);
  try {
    const value: unknown = JSON.parse(await readUserText(file));
    return checkedValue(schema, { value, where: "the scores" }, file, `scores such as ${FORM}`);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(
      `--scores: expected a JSON file such as ${FORM}, ${file} can't be read (${errorMessage(cause)}). Correct it.`,
      { cause },
    );
  }
}
