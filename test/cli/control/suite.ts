import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { strFromU8, unzipSync } from "fflate";
import { main } from "../../../cli/main.ts";
import type { RunRow } from "../../../control/runs/row.ts";
import type { EvalLog, EvalSample } from "../../../wire/inspect/eval-log.ts";
import { hasSandbox } from "../../support/sandbox.ts";

/** Without a sandbox here, runs go without one: the tests of the sandbox say that they are skipped. */
export const SANDBOX_FLAGS: readonly string[] = hasSandbox ? [] : ["--no-sandbox"];

/** `signalbox control run` in this process. */
export async function controlRun(...args: readonly string[]) {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: Object.assign(new PassThrough(), { isTTY: true }),
    env: {},
  });
  const code = await main(["control", "run", ...SANDBOX_FLAGS, ...args], io);
  return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(io.stderr.read() ?? "") };
}

/** The rows of a file. */
export const rowsOf = (file: string): readonly RunRow[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** The whole log in a file `.eval`. */
export function logOf(file: string): EvalLog {
  const entries = unzipSync(readFileSync(file));
  const json = (name: string) => JSON.parse(strFromU8(entries[name]!));
  const samples = Object.keys(entries).filter((name) => name.startsWith("samples/"));
  return { ...json("header.json"), samples: samples.map((name): EvalSample => json(name)) };
}
