import type { Command } from "commander";
import { printable } from "../../client/printable/printable.ts";
import { type Blame, blameLine } from "../../store/ledger/blame.ts";
import type { LedgerLine } from "../../store/ledger/entry.ts";
import { readLedger } from "../../store/ledger/reader.ts";
import { type LedgerReport, verifyLedger } from "../../store/ledger/verify.ts";
import { formatCommandLine } from "../command-line.ts";
import { CliError, EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { DATA_DIR, textOrJson } from "../options.ts";
import { formatChange, formatTime } from "../show/format.ts";
import { withCliErrors } from "../store-error.ts";
import type { Define } from "./command.ts";

interface LedgerFlags {
  readonly workspace?: string;
  readonly format: "text" | "json";
}

/** Flags of a command that names or reads journals. */
interface JournalFlags extends LedgerFlags {
  readonly dataDir: string;
}

export const define: Define = (ledger, { io, end, print }) => {
  const add = (name: string, summary: string): Command =>
    ledger
      .command(name)
      .description(summary)
      .option("-w, --workspace <dir>", "workspace of the ledger (default: this folder)")
      .addOption(textOrJson());
  add("verify", "find lines that were edited, reordered, removed or cut")
    .option(...DATA_DIR)
    .action(async (flags: JournalFlags) => end(await verify(flags, io)));
  add("show", "list the writes, oldest first").action(async (flags: LedgerFlags) => print(await show(flags)));
  add("blame", "show which write a line of a file comes from, and how to open it in the debugger")
    .argument("<file:line>", "such as src/a.ts:12; the path is relative to the workspace")
    .option(...DATA_DIR)
    .action(async (place: string, flags: JournalFlags) => print(await blame(place, flags)));
};

/**
 * `ledger verify`: report each line that was edited, reordered, removed or cut, and each task that can't be compared
 * with its journal. Exit code 1 for a problem, else 0.
 *
 * @throws CliError if there is no ledger
 */
export async function verify(
  { workspace = ".", dataDir, format }: JournalFlags,
  io: Pick<Io, "stdout">,
): Promise<number> {
  const report = await withCliErrors(() => verifyLedger(workspace, dataDir));
  io.stdout.write(format === "json" ? `${JSON.stringify(report)}\n` : formatReport(report));
  return report.problems.length === 0 ? EXIT.done : EXIT.failed;
}

function formatReport({ lines, tasks, problems, unchecked }: LedgerReport): string {
  const found = problems.length === 0 ? "no problems" : number(problems.length, "problem");
  return [
    `${number(lines, "line")} of ${number(tasks, "task")}: ${found}.`,
    ...problems.map(
      ({ line, problem }) => `  ${line === undefined ? "missing" : `line ${line}`}: ${printable(problem)}.`,
    ),
    ...unchecked.map(
      ({ task, reason }) =>
        `  task ${printable(task)} was not compared to its end: ${printable(reason)}. A cut or rewritten end is not found.`,
    ),
    "",
  ].join("\n");
}

const number = (count: number, unit: string): string => (count === 1 ? `1 ${unit}` : `${count} ${unit}s`);

/** `ledger show`: the writes, oldest first. @throws CliError if there is no ledger */
export async function show({ workspace = ".", format }: LedgerFlags): Promise<string> {
  const lines = await withCliErrors(() => readLedger(workspace));
  return lines
    .map((each) => {
      if (format === "json")
        return `${JSON.stringify(each.whole ? each.line : { number: each.number, problem: each.reason })}\n`;
      const text = each.whole ? formatLine(each.line) : `not valid: ${each.reason}`;
      return `${String(each.number).padStart(MARGIN)}  ${text}\n`;
    })
    .join("");
}

const MARGIN = 5;

function formatLine(line: LedgerLine): string {
  const { at, tool, path, task, intent, model, merged } = line;
  const parts = [formatTime(at), tool, `${path} ${formatChange(line)}`, `task ${task}`];
  const more = [
    ...(merged === undefined ? [] : [`by ${formatMerger(merged)}`]),
    ...(model === null ? [] : [model]),
    ...(intent === null ? [] : [`intent ${intent}`]),
  ];
  return printable([...parts, ...more].join("  "));
}

const formatMerger = ({ by }: NonNullable<LedgerLine["merged"]>): string =>
  by === null ? "a person" : `task ${by}`;

/** `ledger blame FILE:LINE`: the write that a line comes from, and the command that opens it. @throws CliError */
async function blame(place: string, { workspace = ".", dataDir, format }: JournalFlags): Promise<string> {
  const [, file, line] = /^(.+):([1-9]\d{0,8})$/s.exec(place) ?? [];
  if (file === undefined || line === undefined)
    throw new CliError(`expected FILE:LINE, such as src/a.ts:12, received ${printable(place)}.`);
  const found = await withCliErrors(() => blameLine(workspace, file, Number(line)));
  return format === "json" ? `${JSON.stringify(found)}\n` : formatBlame(found, Number(line), dataDir);
}

function formatBlame({ path, isCurrent, found, merges }: Blame, line: number, dataDir: string): string {
  const name = `${printable(path)}:${line}`;
  const lines = [...originOf(name, found, dataDir), ...merges.map(formatMerge)];
  if (found.kind === "none") return `${lines.join("\n")}\n`;
  const notice = isCurrent
    ? []
    : ["The file is not as the ledger last recorded it: the line is one of that content."];
  return [...lines, ...notice, ""].join("\n");
}

function originOf(name: string, found: Blame["found"], dataDir: string): readonly string[] {
  switch (found.kind) {
    case "write":
      return formatWrite(name, found, dataDir);
    case "older":
      return [`${name} is older than the first write in the ledger.`];
    case "unrecorded":
      return formatUnrecorded(name, found, dataDir);
    case "unknown":
      return [
        `${name}: its origin is not recorded. The file had changed before line ${found.number} of the ledger without a line of its own: by an edit, or by a command that was interrupted.`,
      ];
    case "none":
      return [`${name}: the ledger has no write of this file.`];
  }
}

function formatUnrecorded(
  name: string,
  { line }: Extract<Blame["found"], { kind: "unrecorded" }>,
  dataDir: string,
): readonly string[] {
  const calls = line.merged?.interrupted ?? [];
  const reason =
    calls.length === 0
      ? "An edit there made it, or a program whose changes are not recorded."
      : "Calls there were interrupted, and may have made it:";
  return [
    `${name} came from the files of task ${printable(line.task)}. No record has its write. ${reason}`,
    ...calls.flatMap(({ task, sequence, tool, model }) => [
      printable(
        `Interrupted ${tool}, record ${sequence} of task ${task}${model === null ? "" : `, ${model}`}`,
      ),
      `To view it  ${printable(formatCommandLine(["inspect", task, "--at", String(sequence)], dataDir))}`,
    ]),
  ];
}

function formatMerge({ number, line }: Blame["merges"][number]): string {
  const { at, task, merged } = line;
  const by = merged === undefined ? "" : ` by ${formatMerger(merged)}`;
  return printable(`Merged     from task ${task}${by} at ${formatTime(at)}, line ${number} of the ledger`);
}

function formatWrite(
  name: string,
  { number, line }: Extract<Blame["found"], { kind: "write" }>,
  dataDir: string,
): readonly string[] {
  const { tool, at, task, sequence, model, intent, revision, branch } = line;
  const facts: readonly (readonly [string, string | null])[] = [
    ["Task", `${task}, record ${sequence}`],
    ["Intent", intent],
    ["Model", model],
    ["Git", revision === null ? null : `${revision}${branch === null ? "" : ` on ${branch}`}`],
    ["Ledger", `line ${number}`],
    ["To view it", formatCommandLine(["inspect", task, "--at", String(sequence)], dataDir)],
  ];
  return [
    `${name} was written by ${printable(tool)} at ${formatTime(at)}`,
    ...facts.flatMap(([label, value]) => (value === null ? [] : [`${label.padEnd(11)}${printable(value)}`])),
  ];
}
