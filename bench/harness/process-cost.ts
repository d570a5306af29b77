import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ROOT } from "./root.ts";

/** Prints the CPU time of the process at its end, in milliseconds, after whatever it printed. */
const REPORT = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write("\\n" + (user + system) / 1000);
});`;

/** A file that the build writes, by its path from the root. @throws Error if it was not built */
export function builtFile(name: string): string {
  const file = path.join(ROOT, name);
  if (!existsSync(file))
    throw new Error(`Expected the built package, found no ${file}. Run npm run build first.`);
  return file;
}

/** A program that imports modules. */
export const importing = (names: readonly string[]): string =>
  names.map((name) => `await import(${JSON.stringify(name)});`).join("\n");

/** A program that runs a command line of the built package. */
export const commandLine = (args: readonly string[]): string =>
  `process.argv = ${JSON.stringify(["node", "signalbox", ...args])};
await import(${JSON.stringify(pathToFileURL(builtFile("cli/dist/bin.js")).href)});`;

/** Maximum output of a program, in bytes. */
const OUTPUT_MAX = 64 * 2 ** 20;

/** CPU time in milliseconds and output of a Node process that runs this program in this folder. */
export async function runProcess(
  program: string,
  cwd: string,
): Promise<{ readonly cpuMs: number; readonly output: string }> {
  const args = ["--input-type=module", "-e", `${REPORT}\n${program}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: OUTPUT_MAX });
  const end = stdout.lastIndexOf("\n");
  return { cpuMs: Number(stdout.slice(end + 1)), output: stdout.slice(0, end) };
}

/** CPU time in milliseconds of a Node process that runs this program in this folder. */
export const processCpuMs = async (program: string, cwd: string): Promise<number> =>
  (await runProcess(program, cwd)).cpuMs;
