import { spawn } from "node:child_process";
import { once } from "node:events";
import { messageOf } from "../../tools/error.ts";
import { SandboxError } from "./error.ts";
import type { Confinement } from "./means.ts";
import type { Probe } from "./probe.ts";
import { PROBE_PROGRAM } from "./probe-program.ts";

/** Milliseconds for all probes of a sandbox. */
const PROBES_TIMEOUT_MS = 30_000;

/** Characters of an error of a program in a message. */
const ERROR_CHARS = 500;

/**
 * Try probes in one process of a sandbox. Removes their effects.
 *
 * @throws SandboxError `SANDBOX_PROBE` unless the outcome of each is as it must be
 */
export async function checkProbes(confinement: Confinement, probes: readonly Probe[]): Promise<void> {
  try {
    const { output, how } = await run(confinement, probes);
    const results = parse(output);
    if (results?.length !== probes.length)
      throw failed(confinement, `expected the results of its probes, but their process ${how}`);
    probes.forEach((probe, index) => {
      const problem = problemOf(probe, results[index] ?? "");
      if (problem !== undefined) throw failed(confinement, problem);
    });
  } finally {
    for (const { undo } of probes) undo?.();
  }
}

/** How the outcome of a probe differs from the one that it must have. */
function problemOf({ does, isBlocked, hasEffect }: Probe, result: string): string | undefined {
  const isDone = result === "done";
  if (isBlocked)
    return isDone || hasEffect?.() === true
      ? `expected it to block a program that tries to ${does}, but it did not`
      : undefined;
  if (isDone && hasEffect?.() !== false) return undefined;
  return `expected a program to be able to ${does}, but ${isDone ? "the change is not seen outside" : `the error was ${result}`}`;
}

async function run(
  { program, args, held }: Confinement,
  probes: readonly Probe[],
): Promise<{ readonly output: string; readonly how: string }> {
  const actions = JSON.stringify(probes.map(({ action }) => action));
  const words = [...args, process.execPath, "-e", PROBE_PROGRAM, actions];
  // Modules that the options of Node.js name may be denied.
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(program, words, {
    ...{ cwd: "/", env, timeout: PROBES_TIMEOUT_MS, killSignal: "SIGKILL" },
    stdio: ["ignore", "pipe", "pipe", ...held.descriptors],
  });
  held.close();
  let [output, errors] = ["", ""];
  child.stdout?.on("data", (bytes: Buffer) => {
    output += bytes.toString();
  });
  child.stderr?.on("data", (bytes: Buffer) => {
    errors += bytes.toString();
  });
  try {
    const [code, signal]: readonly unknown[] = await once(child, "close");
    const said = errors.trim().slice(-ERROR_CHARS);
    return { output, how: `ended with ${code ?? signal}${said === "" ? "" : ` and the error: ${said}`}` };
  } catch (error) {
    return { output, how: `could not be started: ${messageOf(error)}` };
  }
}

/** The results in an output; undefined for any other output. */
function parse(output: string): readonly string[] | undefined {
  try {
    const results: unknown = JSON.parse(output);
    return Array.isArray(results) && results.every((result) => typeof result === "string")
      ? results
      : undefined;
  } catch {
    // The program has not run to its end.
    return undefined;
  }
}

const failed = ({ name, program }: Confinement, problem: string): SandboxError =>
  new SandboxError(
    "SANDBOX_PROBE",
    `The sandbox (${name}, ${program}) does not protect as it must: ${problem}. No command was run in it. Check that the program is the one of your system, and report this message as a bug of signalbox, or run without a sandbox.`,
  );
