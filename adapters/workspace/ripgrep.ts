import { spawn } from "node:child_process";
import { ToolError } from "../../tools/index.ts";

/** Characters of ripgrep's error output. */
const STDERR_MAX_CHARS = 4_000;

export interface RipgrepRun {
  readonly cwd: string;
  /** The folder or file, relative to `cwd`. */
  readonly what: string;
  readonly args: readonly string[];
  readonly hiddenNames: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Runs ripgrep without configuration, rules from above the workspace, and symlinks. Its output comes in chunks; a path ends
 * with a NUL.
 *
 * @throws ToolError `bad_pattern`
 */
export async function* ripgrep({ cwd, what, args, hiddenNames, signal }: RipgrepRun): AsyncGenerator<string> {
  // Loaded here, because its module cannot start in a bundle to CommonJS.
  const { rgPath } = await import("@vscode/ripgrep");
  const child = spawn(
    rgPath,
    [
      ...["--no-config", "--no-messages", "--color=never", "--null"],
      ...["--hidden", "--no-follow", "--no-require-git"],
      ...["--no-ignore-parent", "--no-ignore-global", "--no-ignore-exclude"],
      ...[...args, ...hiddenNames.map((name) => `--glob=!${name}`), "--", what],
    ],
    { cwd, stdio: ["ignore", "pipe", "pipe"], signal, env: {} },
  );
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(0, STDERR_MAX_CHARS);
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  // It is awaited after the output: until then its rejection is not unhandled.
  exit.catch(() => undefined);
  try {
    yield* child.stdout.setEncoding("utf8");
    const code = await exit;
    if (code !== 0 && code !== 1 && stderr !== "")
      throw new ToolError(
        "bad_pattern",
        `The search failed: ${stderr.trim()}. Expected a regular expression in Rust's syntax and a glob.`,
      );
  } finally {
    child.kill("SIGKILL");
  }
}
