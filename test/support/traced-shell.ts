import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A program that a command line started, with its arguments. */
export interface Started {
  readonly line: string;
  readonly program: string;
}

/** Runs command lines in a real shell that finds only stubs, and records what they start. */
export interface TracedShell extends Disposable {
  run(shell: string, lines: readonly string[]): readonly Started[];
}

/** Command lines that one process runs. */
const BATCH = 200;
/** Maximum time of one batch, in milliseconds. */
const BATCH_MAX_MS = 120_000;
/** Programs that run others: their stubs record them and start the real ones. */
const RUNNERS = ["env", "sh", "bash", "xargs", "find", "nohup", "nice", "timeout"];

/** The shells of this system that differ. */
export const SHELLS: readonly string[] = ["/bin/sh", "/bin/bash", "/bin/dash"].filter(
  (shell, at, all) =>
    existsSync(shell) && all.slice(0, at).every((other) => realpathSync(other) !== realpathSync(shell)),
);

/** @param plain names of programs that only record their arguments */
export function tracedShell(plain: readonly string[]): TracedShell {
  const folder = mkdtempSync(path.join(tmpdir(), "traced-"));
  const bin = path.join(folder, "bin");
  const cwd = path.join(folder, "cwd");
  const trace = path.join(folder, "trace");
  mkdirSync(bin);
  mkdirSync(cwd);
  // Patterns for the name of a command find these.
  for (const name of ["bad", "good"]) writeFileSync(path.join(cwd, name), `${name}\n`);
  const stub = (name: string, then: string): void =>
    writeFileSync(
      path.join(bin, name),
      `#!/bin/sh\nprintf '%s\\0' "$LINE ${name}\${*:+ $*}" >> '${trace}'\n${then}\n`,
      { mode: 0o755 },
    );
  for (const name of plain) stub(name, "exit 0");
  stub("sudo", 'while [ "$1" = -u ]; do shift 2; done; "$@"');
  for (const name of RUNNERS) {
    const real = realProgram(name);
    if (real !== undefined) stub(name, `exec ${real} "$@"`);
  }
  const loop = 'for line in "$@"; do LINE=$((LINE+1)); (eval "$line"; wait) </dev/null; done; exit 0';
  const runBatch = (shell: string, lines: readonly string[]): readonly Started[] => {
    writeFileSync(trace, "");
    execFileSync(shell, ["-c", loop, "sh", ...lines], {
      cwd,
      env: { PATH: bin, LINE: "-1", x: "bad", HOME: cwd },
      stdio: "ignore",
      timeout: BATCH_MAX_MS,
    });
    return readFileSync(trace, "utf8")
      .split("\0")
      .filter(Boolean)
      .map((record) => {
        const end = record.indexOf(" ");
        return { line: lines[Number(record.slice(0, end))] ?? "?", program: record.slice(end + 1) };
      });
  };
  return {
    run: (shell, lines) =>
      Array.from({ length: Math.ceil(lines.length / BATCH) }, (_, at) =>
        runBatch(shell, lines.slice(at * BATCH, (at + 1) * BATCH)),
      ).flat(),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function realProgram(name: string): string | undefined {
  return ["/bin", "/usr/bin"].map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}
