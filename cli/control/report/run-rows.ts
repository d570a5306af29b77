import type { RunRow } from "../../../control/runs/row.ts";
import { CliError, errorMessage } from "../../error.ts";
import { checkedValue } from "../../log/checked-value.ts";
import { logError } from "../../log/json-text.ts";
import { readLogText } from "../../text-file.ts";
import { rowSchema } from "../run/row-schema.ts";

/** The rows of a file, and its torn last line. */
export interface RunRows {
  readonly rows: readonly RunRow[];
  /** The number of the last line, if its writer was interrupted: it has no line end and is not JSON. */
  readonly torn?: number;
}

/**
 * Read the rows that `signalbox control run` writes. A torn last line is not read.
 *
 * @throws CliError for a file without rows, another line, and two lines about the same run: the line, what was expected and what came
 */
export async function readRunRows(file: string): Promise<RunRows> {
  const text = await readLogText(file).catch((cause: unknown) => {
    throw new CliError(
      `${file}: expected runs that signalbox control run wrote, can't be read (${errorMessage(cause)}). Correct the path.`,
      { cause },
    );
  });
  const lines = text.split("\n");
  const last = lines.length;
  const torn = isJson(lines.at(-1) ?? "") ? undefined : last;
  const seen = new Map<string, number>();
  const rows = lines.slice(0, torn === undefined ? last : last - 1).flatMap((line, index) => {
    if (line.trim() === "") return [];
    const where = `line ${index + 1}`;
    if (!isJson(line)) throw logError(file, where, line, "a run as JSON");
    const row = checkedValue<RunRow>(rowSchema, { value: JSON.parse(line), where }, file, "a run");
    const before = seen.get(keyOf(row));
    if (before !== undefined)
      throw new CliError(
        `${file}, ${where}: expected each run once, got the run of line ${before} again. Remove one of both.`,
      );
    seen.set(keyOf(row), index + 1);
    return [row];
  });
  if (rows.length === 0)
    throw new CliError(
      `${file}: expected at least one run, found none. Give a file of signalbox control run.`,
    );
  return { rows, ...(torn !== undefined && { torn }) };
}

const keyOf = ({ protocol, setting, policy, mode, seed, sample }: RunRow): string =>
  JSON.stringify([protocol, setting, policy, mode, seed, sample]);

/** The order in which rows are measured. */
export function byKey(one: RunRow, other: RunRow): number {
  const [key, otherKey] = [keyOf(one), keyOf(other)];
  return key < otherKey ? -1 : Number(key > otherKey);
}

/** Whether a line is JSON, or blank. */
function isJson(line: string): boolean {
  if (line.trim() === "") return true;
  try {
    JSON.parse(line);
    return true;
  } catch {
    // The caller decides whether the line is torn or damaged.
    return false;
  }
}
