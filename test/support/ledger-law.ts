import { createHash } from "node:crypto";

export interface LedgerState {
  /** The committed writes of each task, in order, as `sequence.part path`. */
  readonly expected: ReadonlyMap<string, readonly string[]>;
  /** Tasks whose lines must all be there: nothing is left to append. */
  readonly complete: ReadonlySet<string>;
  /** Whether no process will write to it any more. */
  readonly isEnd: boolean;
}

/**
 * What is wrong with a ledger (law LEDGER): each committed write is there once, in order, chained to the one before it, and
 * nothing else is. It uses none of the code that writes a ledger.
 */
export function ledgerViolation(
  bytes: Buffer,
  { expected, complete, isEnd }: LedgerState,
): string | undefined {
  const lines = bytes.toString().split("\n");
  // The next write ends or removes an incomplete last line.
  const open = lines.pop();
  if (isEnd && open !== "") return "the last line is incomplete";
  const chains = new Map<string, { hash: string | null; found: string[] }>();
  for (const [index, text] of lines.entries()) {
    const place = `line ${index + 1}`;
    const line = parse(text);
    if (line === undefined) return `${place} is no line`;
    const { hash, previous, task, sequence, part, path } = line;
    if (hash !== hashOf(text)) return `${place} has not its hash`;
    const chain = chains.get(task) ?? { hash: null, found: [] };
    if (previous !== chain.hash) return `${place} does not follow the one before it of ${task}`;
    chain.found.push(`${sequence}.${part} ${path}`);
    const next = expected.get(task)?.[chain.found.length - 1];
    if (next !== chain.found.at(-1))
      return `${place} is ${chain.found.at(-1)} of ${task}, and expected was ${next}`;
    chains.set(task, { ...chain, hash });
  }
  for (const task of complete) {
    const missing = expected.get(task)?.[chains.get(task)?.found.length ?? 0];
    if (missing !== undefined) return `${missing} of ${task} is missing`;
  }
  return undefined;
}

interface Line {
  readonly hash: string;
  readonly previous: string | null;
  readonly task: string;
  readonly sequence: number;
  readonly part: number;
  readonly path: string;
}

function parse(text: string): Line | undefined {
  try {
    const line: Line = JSON.parse(text);
    return line;
  } catch {
    return undefined;
  }
}

/** Of what comes after the first field. */
const hashOf = (text: string): string =>
  createHash("sha256")
    .update(text.slice(text.indexOf(",") + 1))
    .digest("hex");
