import { formatNumber, median } from "../harness/index.ts";
import type { Installed } from "./install.ts";
import type { JobResult } from "./job.ts";
import type { Cost, Fault, Figures, Sizes } from "./measurements.ts";
import type { Outcome } from "./outcome.ts";
import { BASELINE } from "./peers.ts";

/** What the tables are made from. */
export interface Results {
  readonly sizes: Sizes;
  /** Each peer by name, in the order of the tables. */
  readonly installed: ReadonlyMap<string, Installed>;
  readonly figures: ReadonlyMap<string, Figures>;
}

type Row = readonly string[];
type Metric = (outcome: Outcome) => number | undefined;

const FAULT_HEADS: Readonly<Record<Fault, string>> = {
  textReset: "text cut, connection reset",
  textEnd: "text cut, response ends",
  toolReset: "tool input cut, connection reset",
  toolEnd: "tool input cut, response ends",
  unresponsive: "cancel, unresponsive tool",
  overload: "529, then a response",
};

/** Format the tables, each with its title. */
export function formatReport(results: Results): string {
  const { deltas, turns, bytes, agents } = results.sizes;
  const heads = [
    `text, ${deltas} deltas`,
    `${turns} turns, one tool call each`,
    `tool input, ${formatNumber(bytes / 1e6)} MB`,
  ];
  return [
    ["Versions", versions(results)],
    ["CPU time, relative to the raw SDK loop", costs(results, heads, ({ cpuMs }) => cpuMs, "ms", true)],
    ["Wall time", costs(results, heads, ({ wallMs }) => wallMs, "ms", false)],
    [
      "Peak memory of the process",
      costs(results, heads, ({ peakBytes = 0 }) => peakBytes / 1e6, "MB", false),
    ],
    [
      `CPU time of the import, memory of each of ${agents} agents that wait at an approval`,
      importAndWaiting(results),
    ],
    ["Faults", faults(results)],
  ]
    .map(([title, text]) => `${title}\n\n${text}\n`)
    .join("\n");
}

function versions({ installed }: Results): string {
  const rows = [...installed].map(
    ([name, entry]): Row =>
      "reason" in entry ? [name, "", `not run: ${entry.reason}`] : [name, entry.versions, entry.note],
  );
  return align([["library", "versions", ""], ...rows]);
}

function costs(results: Results, heads: Row, metric: Metric, unit: string, isRatio: boolean): string {
  const columns = ["text", "turns", "toolInput"] as const satisfies readonly Cost[];
  const rows = [...results.figures].map(([name, { costs }]) => [
    name,
    ...columns.map((cost) => {
      const baseline = medianOf(results.figures.get(BASELINE.name)?.costs[cost] ?? [], metric);
      return formatCost(
        costs[cost],
        { metric, unit, baseline: isRatio ? baseline : undefined },
        results.sizes,
      );
    }),
  ]);
  return align([["library", ...heads], ...rows]);
}

interface Cell {
  readonly metric: Metric;
  readonly unit: string;
  readonly baseline: number | undefined;
}

function formatCost(runs: readonly JobResult[], { metric, unit, baseline }: Cell, sizes: Sizes): string {
  for (const run of runs) {
    if ("late" in run) return `> ${sizes.limitMs / 1000} s of CPU`;
    if ("error" in run) return `failed: ${cut(run.error)}`;
  }
  const value = medianOf(runs, metric);
  if (value === undefined) return "";
  const absolute = `${formatNumber(value)} ${unit}`;
  return baseline === undefined ? absolute : `${(value / baseline).toFixed(2)} x (${absolute})`;
}

/** The median of the runs; undefined if one has no such figure. */
function medianOf(runs: readonly JobResult[], metric: Metric): number | undefined {
  const values = runs.map((run) => ("outcome" in run ? metric(run.outcome) : undefined));
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 || known.length < values.length ? undefined : median(known);
}

function importAndWaiting(results: Results): string {
  const rows = [...results.figures].map(([name, { importMs, costs }]) => [
    name,
    `${formatNumber(median(importMs))} ms`,
    formatWaiting(costs.waiting, results.sizes),
  ]);
  return align([["library", "import", "waiting agent"], ...rows]);
}

function formatWaiting(runs: readonly JobResult[], sizes: Sizes): string {
  const metric: Metric = ({ bytesPerAgent }) =>
    bytesPerAgent === undefined ? undefined : bytesPerAgent / 1000;
  return formatCost(runs, { metric, unit: "KB", baseline: undefined }, sizes) || "none";
}

function faults({ figures }: Results): string {
  const names = Object.keys(FAULT_HEADS) as Fault[];
  const rows = [...figures].map(([name, { faults }]) => [
    name,
    ...names.map((fault) => formatFault(faults[fault][0])),
  ]);
  return align([["library", ...names.map((name) => FAULT_HEADS[name])], ...rows]);
}

function formatFault(run: JobResult | undefined): string {
  if (run === undefined) return "";
  if ("late" in run) return "FAIL: never ended";
  if ("error" in run) return `FAIL: ${cut(run.error)}`;
  return `${run.outcome.verdict}: ${cut(run.outcome.what ?? "")}`;
}

const cut = (text: string): string =>
  (text.length > 60 ? `${text.slice(0, 57)}...` : text).replaceAll("|", "/");

/** Format rows as an aligned Markdown table. */
export function align([head = [], ...rows]: readonly Row[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: Row): string =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
