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
  if (file.endsWith(".jsonl")) return scoresOfRuns(file);
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

/** The scores of a file of runs. @throws CliError for a file without honest runs, or without runs that attempted an attack */
async function scoresOfRuns(file: string): Promise<MeasuredScores> {
  const { rows } = await readRunRows(file);
  const missing = (runs: string): CliError =>
    new CliError(
      `--scores: ${file}: expected ${runs}, got none. Run such policies as well with signalbox control run.`,
    );
  if (!rows.some(({ mode }) => mode === "honest")) throw missing("honest runs");
  if (!rows.some(({ attempted }) => attempted)) throw missing("runs that attempted an attack");
  return scoresIn(rows);
}
