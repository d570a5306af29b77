import type { LedgerProblem } from "./chains.ts";
import { comparePositions, type LedgerEntry, type LedgerLine, type LedgerPosition } from "./entry.ts";
import { encodeEntry } from "./line.ts";

/** A line of one task. */
export interface OwnLine {
  /** From 1. */
  readonly number: number;
  readonly line: LedgerLine;
  /** Whether it has its own hash. */
  readonly whole: boolean;
}

/**
 * Compare the lines of a task with the writes of its journal: each must be there once, as the journal has it. Merges are
 * compared with the data folder.
 *
 * @param expects `untilLast`: the writes after the last line may be missing
 */
export function compareWithJournal(
  task: string,
  lines: readonly OwnLine[],
  entries: readonly LedgerEntry[],
  expects: "all" | "untilLast" = "all",
): readonly LedgerProblem[] {
  const last = lines.at(-1)?.line;
  const isExpected = (entry: LedgerEntry): boolean =>
    expects === "all" || (last !== undefined && comparePositions(entry, last) < 0);
  const expected = new Map(entries.map((entry) => [keyOf(entry), entry]));
  const problems: LedgerProblem[] = [];
  const seen = new Set<string>();
  for (const { number, line, whole } of lines) {
    const key = keyOf(line);
    seen.add(key);
    // An edited line is a problem by itself.
    if (!whole || line.merged !== undefined) continue;
    const entry = expected.get(key);
    if (entry === undefined)
      problems.push({ line: number, task, problem: `the journal of task ${task} has no such write` });
    else if (encodeEntry(entry, line.previous).hash !== line.hash)
      problems.push({
        line: number,
        task,
        problem: `the journal of task ${task} has another ${differences(entry, line)}: the line was rewritten`,
      });
  }
  for (const entry of entries)
    if (!seen.has(keyOf(entry)) && isExpected(entry))
      problems.push({
        task,
        problem: `the line of ${entry.path} is missing, record ${entry.sequence} of task ${task}: it was removed, or its process was killed before it wrote the line. In that case the line is appended when the task is next opened`,
      });
  return problems;
}

const keyOf = ({ sequence, part }: LedgerPosition): string => `${sequence}.${part}`;

function differences(entry: LedgerEntry, line: LedgerLine): string {
  const names = COMPARED.filter((name) => JSON.stringify(entry[name]) !== JSON.stringify(line[name]));
  return names.join(", ") || "spelling";
}

const COMPARED = [
  ...(["at", "intent", "tool", "path", "before", "after", "lines"] as const),
  ...(["revision", "branch", "model"] as const),
];
