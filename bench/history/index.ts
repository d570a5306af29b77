import path from "node:path";
import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  type Child,
  commandLine,
  formatNumber,
  formatSpread,
  limited,
  median,
  ROOT,
  runProcess,
  withChild,
  withFolder,
} from "../harness/index.ts";

const SIZES = {
  full: { tasks: 10_000, runs: 5 },
  quick: { tasks: 10_000, runs: 2 },
  tiny: { tasks: 30, runs: 1 },
} as const;

/** Milliseconds of CPU for a list of 10,000 tasks. Where nothing else runs it takes as long. */
const LIMIT_MS = 1_000;
const INDEXING_LIMIT_MS = 2_000;
const Listed = z.object({ tasks: z.number(), wallMs: z.number(), cpuMs: z.number() });
type Listed = z.output<typeof Listed>;

/** The cost of listing many tasks: without an index, then twice in a process, then by the built command. */
export async function history({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { tasks, runs } = SIZES[size];
  return withFolder(async (folder) => {
    const bytes = await withChild("history", (child) => child.call("prepare", { folder, tasks }, z.number()));
    const list = (child: Child, isIndexed: boolean) => child.call("list", { folder, isIndexed }, Listed);
    const indexing: Listed[] = [];
    const first: Listed[] = [];
    const second: Listed[] = [];
    const command: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      await withChild("history", async (child) => {
        indexing.push(await list(child, false));
      });
      await withChild("history", async (child) => {
        first.push(await list(child, true));
        second.push(await list(child, true));
      });
      command.push(await listByCommand(folder, tasks));
    }
    const wrong = [...indexing, ...first, ...second].find((found) => found.tasks !== tasks);
    if (wrong !== undefined) throw new Error(`${wrong.tasks} of ${tasks} tasks were listed.`);
    const mean = `${formatNumber(bytes / tasks / 1000)} KB each on average`;
    const result = (what: string, limit: number, found: readonly Listed[], detail: string): BenchResult =>
      limited(
        `CPU of a list of ${tasks} tasks, ${what}`,
        median(found.map(({ cpuMs }) => cpuMs)),
        "ms",
        limit,
        `${formatNumber(median(found.map(({ wallMs }) => wallMs)))} ms wall time; ${detail}`,
      );
    return [
      result("without an index", INDEXING_LIMIT_MS, indexing, `journals of ${mean}, in the page cache`),
      result("first of a process", LIMIT_MS, first, "with the index"),
      result("second of a process", LIMIT_MS, second, "nothing is kept in memory between the two"),
      limited(
        `CPU of \`signalbox list\` with ${tasks} tasks`,
        median(command),
        "ms",
        LIMIT_MS,
        `${formatSpread(command)}; the whole process, with the index`,
      ),
    ];
  });
}

/** CPU time in milliseconds of the command. */
async function listByCommand(folder: string, tasks: number): Promise<number> {
  const program = commandLine(["list", "--all", "--data-dir", path.join(folder, "data")]);
  const { cpuMs, output } = await runProcess(program, ROOT);
  const listed = output.match(/Read the file/g)?.length;
  if (listed !== tasks) throw new Error(`The command listed ${listed} of ${tasks} tasks.`);
  return cpuMs;
}
