import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  formatSpread,
  limited,
  median,
} from "../harness/index.ts";

const SIZES = { full: { runs: 15 }, quick: { runs: 5 }, tiny: { runs: 1 } } as const;
const DEPENDENCIES = ["xstate", "rxjs", "zod", "@anthropic-ai/sdk"];
/** Prints the CPU time of the process at its end, in milliseconds, after whatever it printed. */
const REPORT = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write("\\n" + (user + system) / 1000);
});`;

/** The CPU time until the package is imported, against its dependencies, and until the command line has printed its help. */
export async function start({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { runs } = SIZES[size];
  const root = rootOf(path.dirname(fileURLToPath(import.meta.url)));
  const bin = path.join(root, "dist/cli/bin.js");
  if (!existsSync(bin))
    throw new Error(`Expected the built package, found no ${bin}. Run npm run build first.`);
  const programs = {
    package: importOf(["signalbox"]),
    dependencies: importOf(DEPENDENCIES),
    help: `process.argv = ["node", "signalbox", "--help"]; await import(${JSON.stringify(pathToFileURL(bin).href)});`,
  };
  const cpu = { package: [] as number[], dependencies: [] as number[], help: [] as number[] };
  for (let run = 0; run < runs; run += 1)
    for (const name of ["package", "dependencies", "help"] as const)
      cpu[name].push(await cpuOf(programs[name], root));
  const [ours, theirs] = [median(cpu.package), median(cpu.dependencies)];
  const detail = `${formatNumber(ours)} against ${formatNumber(theirs)} ms; medians of ${runs} interleaved runs`;
  return [
    limited("CPU of importing the package : its four dependencies", ours / theirs, "x", 1.3, detail),
    limited("CPU of `signalbox --help`", median(cpu.help), "ms", 250, formatSpread(cpu.help)),
  ];
}

/** The package's root: the compiled bench lies in a folder of its own. */
function rootOf(folder: string): string {
  if (existsSync(path.join(folder, "bench/main.ts"))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error("The bench is not inside the package.");
  return rootOf(parent);
}

const importOf = (names: readonly string[]): string =>
  names.map((name) => `await import(${JSON.stringify(name)});`).join("\n");

async function cpuOf(program: string, cwd: string): Promise<number> {
  const args = ["--input-type=module", "-e", `${REPORT}\n${program}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  return Number(stdout.slice(stdout.lastIndexOf("\n") + 1));
}
