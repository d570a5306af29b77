import { printable } from "../../client/printable/printable.ts";
import { plural } from "../../present/plural.ts";
import { judgedText } from "../../present/replay-sentence.ts";
import type {
  ReplayChange,
  ReplayCounts,
  Replayed,
  ReplaySummary,
} from "../../wire/http/permission-replay.ts";
import { shortenIds } from "../show/format.ts";
import { formatTable } from "../verify/table.ts";

/** Maximum changes that a text lists. JSON has more. */
const CHANGES_MAX = 20;

/** A task that was replayed. */
export interface TaskRow {
  readonly taskId: string;
  readonly title: string;
  readonly summary: ReplaySummary;
}

/** Format a replay: the summary, a table of the tasks with the totals first, the changed calls, and the reasons why others were not judged. */
export function formatReplay(
  sentence: string,
  { summary, changes, more, tasks }: Replayed,
  rows: readonly TaskRow[],
): string {
  const short = shortenIds(rows.map(({ taskId }) => taskId));
  const listed = changes.slice(0, CHANGES_MAX);
  const others = changes.length + more - listed.length;
  const unjudged = summary.unjudged.map(({ reason, count }) => `  ${count} not judged: ${reason}`);
  const lines = [
    sentence,
    "Paths were resolved as they are now.",
    "",
    formatTable(HEADS, [
      ["all", ...numbersOf(summary), plural(tasks, "task")],
      ...rows.map((row) => [short(row.taskId), ...numbersOf(row.summary), row.title]),
    ]),
    ...(listed.length === 0 ? [] : ["", "Changed calls:"]),
    ...listed.flatMap((change) => changeLines(change, short)),
    ...(others === 0 ? [] : [`  ... ${others} more`]),
    ...(unjudged.length === 0 ? [] : ["", "Calls that were not judged again:", ...unjudged]),
  ];
  return `${printable(lines.join("\n"))}\n`;
}

const HEADS = ["task", "calls", "asks", "changed", "not judged", ""];

const numbersOf = ({ calls, asks, permissions, settings, unjudged }: ReplaySummary): readonly number[] => [
  calls,
  asks,
  sumOf(permissions) + sumOf(settings),
  unjudged.reduce((sum, { count }) => sum + count, 0),
];

const sumOf = (counts: ReplayCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

function changeLines(
  { taskId, record, tool, target, recorded, now, cause }: ReplayChange,
  short: (id: string) => string,
): readonly string[] {
  const today = cause === "settings" ? " (by the settings of today)" : "";
  return [
    `  ${short(taskId)} record ${record}: ${tool} ${target.replaceAll(/\s+/g, " ")}`.trimEnd(),
    `    ${judgedText(recorded)} -> ${judgedText(now)}${today}`,
  ];
}
