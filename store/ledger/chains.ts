import { comparePositions, type LedgerLine, type LedgerPosition } from "./entry.ts";
import type { NumberedLine } from "./reader.ts";

/** A fault of a ledger. */
export interface LedgerProblem {
  /** The line, from 1. Absent: a line is missing. */
  readonly line?: number;
  readonly task?: string;
  /** The expected value, and the received one. */
  readonly problem: string;
}

interface Chain {
  readonly line: number;
  readonly hash: string;
  readonly position: LedgerPosition;
}

/** Check the lines of a ledger by themselves: the hash of each, and the chain of each task. */
export function checkChains(lines: readonly NumberedLine[]): readonly LedgerProblem[] {
  const problems: LedgerProblem[] = [];
  const chains = new Map<string, Chain>();
  const numbers = new Map<string, number>();
  for (const each of lines) {
    const { line, number } = each;
    const task = line === undefined ? {} : { task: line.task };
    const problem = each.whole ? chainProblem(each.line, chains.get(each.line.task), numbers) : each.reason;
    if (problem !== undefined) problems.push({ line: number, ...task, problem });
    if (each.open)
      problems.push({
        line: number,
        ...task,
        problem: "it has no newline: a process was killed while it wrote the line, or the file was cut",
      });
    if (line === undefined) continue;
    // The next line is compared with what this one says, so that one edit is one problem.
    chains.set(line.task, { line: number, hash: line.hash, position: line });
    if (!numbers.has(line.hash)) numbers.set(line.hash, number);
  }
  return problems;
}

function chainProblem(
  line: LedgerLine,
  before: Chain | undefined,
  numbers: ReadonlyMap<string, number>,
): string | undefined {
  const first = numbers.get(line.hash);
  if (first !== undefined) return `it is the same as line ${first}: expected each line once`;
  const named = line.previous === null ? undefined : numbers.get(line.previous);
  if (line.previous !== (before?.hash ?? null)) {
    const expected = before === undefined ? "no line of this task" : `line ${before.line}`;
    return `the line before it of task ${line.task} is ${expected}, but it follows ${
      line.previous === null ? "none" : named === undefined ? "one that is not here" : `line ${named}`
    }: lines were edited, removed or reordered`;
  }
  if (before === undefined || comparePositions(before.position, line) < 0) return undefined;
  return `its sequence ${line.sequence}, part ${line.part} does not come after line ${before.line}`;
}
