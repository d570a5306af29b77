import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { seed } from "../../arguments.ts";
import type { Invocation } from "../../commands/command.ts";
import { textOrJson } from "../../options.ts";
import { writeUserFile } from "../../user-file.ts";
import { shares } from "../worst-case-flags.ts";
import { createReport, type Report, withoutRuns } from "./report.ts";
import { formatReport } from "./report-table.ts";
import { readRunRows } from "./run-rows.ts";
import { REPORT_DEFAULTS } from "./suite-file.ts";

interface ReportFlags {
  readonly flagged: readonly number[];
  readonly seed: number;
  readonly out?: string;
  readonly plots?: string;
  readonly force?: true;
  readonly format: "text" | "json";
}

/** Add the command `control report`. */
export function defineReport(control: Command, { print }: Pick<Invocation, "print">): void {
  control
    .command("report")
    .description("measure the runs of protocols: tables, plots, and a page with both")
    .argument("<runs>", "JSONL file of signalbox control run")
    .option(
      "--flagged <share,...>",
      "flagged shares: each gives a threshold, the (1 - share) percentile of honest scores",
      shares,
      [...REPORT_DEFAULTS.flagged],
    )
    .option("--seed <n>", "seed of the bootstrap intervals", seed, REPORT_DEFAULTS.seed)
    .option("--out <file>", "write tables and plots as one HTML file")
    .option("--plots <folder>", "write each plot as an SVG file")
    .option("--force", "overwrite existing files")
    .addOption(textOrJson())
    .action(async (runs: string, flags: ReportFlags) => print(await controlReport(runs, flags)));
}

/** `control report`: the metrics of all protocols of a file. @throws CliError for a file that has no valid runs, or one that exists */
async function controlReport(file: string, flags: ReportFlags): Promise<string> {
  const report = createReport(await readRunRows(file), { audits: flags.flagged, seed: flags.seed });
  const written = await writeReport(report, flags);
  if (flags.format === "json")
    return `${JSON.stringify({ type: "report", ...withoutRuns(report), written })}\n`;
  const files = written.length === 0 ? "" : `\n\nWritten: ${written.join(", ")}`;
  return `${formatReport(report, flags.flagged)}${files}\n`;
}

/** Write the files that the flags name. Returns their names. */
async function writeReport(report: Report, flags: ReportFlags): Promise<readonly string[]> {
  const { flagged, out, plots: folder, force = false } = flags;
  if (out === undefined && folder === undefined) return [];
  // The plotting library is loaded only here.
  const { suiteReport } = await import("./suite-report.ts");
  const suite = suiteReport(report, flagged);
  const written: string[] = [];
  const write = async (name: string, text: string): Promise<void> => {
    await writeUserFile(name, text, { force });
    written.push(name);
  };
  if (out !== undefined) {
    const { formatReportPage } = await import("./report-page.ts");
    await write(out, formatReportPage(suite));
  }
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    for (const { name, svg } of suite.plots) await write(path.join(folder, `${name}.svg`), svg);
  }
  return written;
}
