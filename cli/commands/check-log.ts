import { JournalError } from "../../store/index.ts";
import { ExchangeError, WireError } from "../../wire/index.ts";
import { CliError } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type CheckedLog, checkRecordedLog } from "../log/index.ts";
import { printable } from "../show/index.ts";

export interface CheckLogFlags {
  /** Default: text. */
  readonly format?: "text" | "json";
}

/**
 * `signalbox verify --log FILE`: holds the laws that need only messages against a recorded log, and lists what is
 * broken, with the place. Exit code 1 if anything is, else 0.
 *
 * @throws CliError where there is no log at that place: with the line and the byte, and what was expected
 */
export async function checkLog(
  file: string,
  io: Pick<Io, "stdout">,
  { format = "text" }: CheckLogFlags = {},
): Promise<number> {
  const logs = await checkRecordedLog(file).catch((error: unknown) => {
    if (error instanceof WireError || error instanceof ExchangeError || error instanceof JournalError)
      throw new CliError(error.message, { cause: error });
    throw error;
  });
  for (const log of logs) io.stdout.write(format === "json" ? `${JSON.stringify(log)}\n` : textOf(log));
  const isGood = logs.every(({ violations, tail }) => violations.length === 0 && tail?.kind !== "damaged");
  return isGood ? EXIT.done : EXIT.failed;
}

function textOf({ file, kind, length, counts, violations, tail }: CheckedLog): string {
  const head = `${printable(file)}: ${kind}, ${length} ${length === 1 ? counts : `${PLURAL[counts]}`}, ${violations.length === 0 ? "no violation" : `${violations.length} ${violations.length === 1 ? "violation" : "violations"}`}.`;
  const lines = violations.map(({ law, at, block, expected, came }) => {
    const where = `${counts} ${at}${block === undefined ? "" : `, block ${block}`}`;
    return `  ${law}  ${where}: expected: ${expected}; came: ${printable(came)}`;
  });
  const end =
    tail === undefined
      ? []
      : [`  the end is ${tail.kind} from line ${tail.line} (byte ${tail.at}) on: ${printable(tail.reason)}`];
  return `${[head, ...lines, ...end].join("\n")}\n`;
}

const PLURAL = { row: "rows", entry: "entries", change: "changes", record: "records" } as const;
