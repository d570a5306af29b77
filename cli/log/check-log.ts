import { printable } from "../../client/printable/printable.ts";
import { readPolicies } from "../../settings/policies.ts";
import { EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { withSettingsErrors } from "../settings/load.ts";
import { withCliErrors } from "../store-error.ts";
import { type CheckedPolicies, checkRecordedPolicies } from "./policy-check.ts";
import { type CheckedLog, checkRecordedLog } from "./recorded-log.ts";

export interface CheckLogFlags {
  /** Default: text. */
  readonly format?: "text" | "json";
  /** Policies over time that the log is checked against: shipped names, and files. Default: none. */
  readonly policies?: readonly string[];
}

/**
 * `signalbox verify --log FILE`: check the laws of messages against a recorded log, and list the violations with their
 * positions. With policies, check those instead. Exit code 1 for a violation or a damaged journal, else 0.
 *
 * @throws CliError for a file that is no log: with the line and the byte, and what was expected
 */
export async function checkLog(
  file: string,
  io: Pick<Io, "stdout">,
  { format = "text", policies: names = [] }: CheckLogFlags = {},
): Promise<number> {
  if (names.length > 0) return checkPolicies(file, names, io, format);
  const logs = await withCliErrors(() => checkRecordedLog(file));
  for (const log of logs)
    io.stdout.write(format === "json" ? `${JSON.stringify(log)}\n` : formatCheckedLog(log));
  const isGood = logs.every(({ violations, tail }) => violations.length === 0 && tail?.kind !== "damaged");
  return isGood ? EXIT.done : EXIT.failed;
}

async function checkPolicies(
  file: string,
  names: readonly string[],
  io: Pick<Io, "stdout">,
  format: "text" | "json",
): Promise<number> {
  const policies = await withSettingsErrors(() => readPolicies(names, process.cwd()));
  const checked = await withCliErrors(() => checkRecordedPolicies(file, policies));
  io.stdout.write(format === "json" ? `${JSON.stringify(checked)}\n` : formatCheckedPolicies(checked));
  return checked.breaches.length === 0 ? EXIT.done : EXIT.failed;
}

function formatCheckedPolicies({ file, counts, policies, events, breaches }: CheckedPolicies): string {
  const unit = UNITS[counts];
  const found = breaches.length === 0 ? "no violations" : number(breaches.length, "violation");
  const head = `${printable(file)}: ${number(events, "event")}, policies ${printable(policies.join(", "))}: ${found}.`;
  const lines = breaches.map(({ policy, clause, at, since, values, limit, event }) => {
    const why = [
      ...(since.length > 0 ? [`since ${unit} ${since.join(", ")}`] : []),
      ...(values.length > 0 ? [`for ${values.slice(0, 5).join(", ")}`] : []),
      ...(limit === undefined ? [] : [`the limit ${limit} is reached`]),
    ].join(", ");
    const text = `${policy}: ${clause}${why === "" ? "" : ` (${why})`}; got: ${event.slice(0, EVENT_MAX_CHARS)}`;
    return `  ${unit} ${at}: ${printable(text)}`;
  });
  return `${[head, ...lines].join("\n")}\n`;
}

/** Maximum characters of an event in a line. */
const EVENT_MAX_CHARS = 200;

function formatCheckedLog({ file, kind, session, length, counts, violations, tail }: CheckedLog): string {
  const unit = UNITS[counts];
  const found = violations.length === 0 ? "no violations" : number(violations.length, "violation");
  const head = `${printable(file)}: ${KINDS[kind]}${session === undefined ? "" : ` ${printable(session)}`}, ${number(length, unit)}, ${found}.`;
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
  session: "session of another agent",
} as const;
const UNITS = { row: "message", entry: "entry", change: "event", record: "record" } as const;
const number = (count: number, unit: string): string =>
  count === 1 ? `1 ${unit}` : `${count} ${unit === "entry" ? "entries" : `${unit}s`}`;
