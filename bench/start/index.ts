import {
  type BenchOptions,
  type BenchResult,
  commandLine,
  formatNumber,
  formatSpread,
  importing,
  limited,
  median,
  processCpuMs,
  ROOT,
} from "../harness/index.ts";

const SIZES = { full: { runs: 15 }, quick: { runs: 5 }, tiny: { runs: 1 } } as const;
const DEPENDENCIES = ["xstate", "rxjs", "zod", "@anthropic-ai/sdk"];
/** The CPU time until the package is imported, against its dependencies, and until the command line has printed its help. */
export async function start({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { runs } = SIZES[size];
  const programs = {
    package: importing(["signalbox"]),
    dependencies: importing(DEPENDENCIES),
    help: commandLine(["--help"]),
  };
  const cpu = { package: [] as number[], dependencies: [] as number[], help: [] as number[] };
  for (let run = 0; run < runs; run += 1)
    for (const name of ["package", "dependencies", "help"] as const)
      cpu[name].push(await processCpuMs(programs[name], ROOT));
  const [ours, theirs] = [median(cpu.package), median(cpu.dependencies)];
  const detail = `${formatNumber(ours)} against ${formatNumber(theirs)} ms; medians of ${runs} interleaved runs`;
  return [
    limited("CPU of importing the package : its four dependencies", ours / theirs, "x", 1.3, detail),
    limited("CPU of `signalbox --help`", median(cpu.help), "ms", 250, formatSpread(cpu.help)),
  ];
}
