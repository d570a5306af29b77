import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./root.ts";

/** Prints the CPU time of the process at its end, in milliseconds, after whatever it printed. */
const REPORT = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write("\\n" + (user + system) / 1000);
});`;

/** The file of the built package. @throws Error if it was not built */
export function builtFile(name: string): string {
  const file = path.join(ROOT, "dist", name);
  if (!existsSync(file))
    throw new Error(`Expected the built package, found no ${file}. Run npm run build first.`);
  return file;
}

/** A program that imports modules. */
export const importing = (names: readonly string[]): string =>
  names.map((name) => `await import(${JSON.stringify(name)});`).join("\n");

/** CPU time in milliseconds of a Node process that runs this program in this folder. */
export async function processCpuMs(program: string, cwd: string): Promise<number> {
  const args = ["--input-type=module", "-e", `${REPORT}\n${program}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  return Number(stdout.slice(stdout.lastIndexOf("\n") + 1));
}
