import { EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { type CheckedLog, checkRecordedLog } from "../log/recorded-log.ts";
import { printable } from "../show/index.ts";
import { withCliErrors } from "../store-error.ts";

export interface CheckLogFlags {
  /** Default: text. */
  readonly format?: "text" | "json";
}

/**
 * `signalbox verify --log FILE`: check the laws of messages against a recorded log, and list the violations with their
 * positions. Exit code 1 for a violation or a damaged journal, else 0.
 *
 * @throws CliError for a file that is no log: with the line and the byte, and what was expected
 */
export async function checkLog(
  file: string,
  io: Pick<Io, "stdout">,
  { format = "text" }: CheckLogFlags = {},
): Promise<number> {
  const logs = await withCliErrors(() => checkRecordedLog(file));
  for (const log of logs)
    io.stdout.write(format === "json" ? `${JSON.stringify(log)}\n` : formatCheckedLog(log));
  const isGood = logs.every(({ violations, tail }) => violations.length === 0 && tail?.kind !== "damaged");
  return isGood ? EXIT.done : EXIT.failed;
}

function formatCheckedLog({ file, kind, length, counts, violations, tail }: CheckedLog): string {
  const unit = UNITS[counts];
  const found = violations.length === 0 ? "no violations" : number(violations.length, "violation");
  const head = `${printable(file)}: ${KINDS[kind]}, ${number(length, unit)}, ${found}.`;
  const lines = violations.map(({ law, at, block, expected, came }) => {
    const where = `${unit} ${at}${block === undefined ? "" : `, block ${block}`}`;
    return `  ${law}  ${where}: expected: ${expected}; got: ${printable(came)}`;
  });
  if (tail !== undefined)
    lines.push(
      `  the end is ${tail.kind}, from line ${tail.line} (byte ${tail.at}): ${printable(tail.reason)}`,
    );
  return `${[head, ...lines].join("\n")}\n`;
}

const KINDS = {
  rows: "messages",
  conversation: "conversation",
  changes: "log events",
  journal: "journal",
} as const;
const UNITS = { row: "message", entry: "entry", change: "event", record: "record" } as const;
const number = (count: number, unit: string): string =>
  count === 1 ? `1 ${unit}` : `${count} ${unit === "entry" ? "entries" : `${unit}s`}`;
