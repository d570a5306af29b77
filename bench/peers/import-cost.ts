import { execFile } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { ROOT } from "./install.ts";
import type { Ready } from "./measurements.ts";

/** Prints the CPU time of the process at its end, in milliseconds, after whatever it printed. */
const REPORT = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write("\\n" + (user + system) / 1000);
});`;

/** Beside the compiled bench, which is removed at the end. */
const OUTPUT = fileURLToPath(new URL("../../entry", import.meta.url));

/** Bundle the project's main entry as it is published. @returns its file */
export async function bundleEntry(): Promise<string> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["index.ts"],
    outdir: OUTPUT,
    bundle: true,
    splitting: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
  return path.join(OUTPUT, "index.js");
}

/** CPU time in milliseconds of a process that imports what a program with this peer imports. */
export async function importCpuMs({ peer, folder = ROOT }: Ready, entry: string): Promise<number> {
  const imports = peer.imports.map((name) => {
    const target = name === "signalbox" ? entry : name;
    return `await import(${JSON.stringify(target)});`;
  });
  // Some libraries open handles when they are imported.
  const program = [REPORT, ...imports, "process.exit(0);"].join("\n");
  const args = ["--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  return Number(stdout.slice(stdout.lastIndexOf("\n") + 1));
}
