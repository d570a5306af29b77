import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { ToolError } from "../../tools/error.ts";

/** Characters of ripgrep's error output. */
const STDERR_MAX_CHARS = 4_000;

export interface RipgrepRun {
  readonly cwd: string;
  /** The folder or file, relative to `cwd`. */
  readonly what: string;
  readonly args: readonly string[];
  readonly hiddenNames: readonly string[];
  readonly signal: AbortSignal;
  /** Called with a file or folder that can't be read, relative to `cwd`, and the system's reason. */
  readonly unreadable?: (file: string, reason: string) => void;
}

/** A message about one file: the path, and the reason of the system. */
const UNREADABLE = /^rg: (?:\.\/)?(.+?): (?:IO error for operation on .+: )?([^:]+ \(os error \d+\))$/;

/**
 * Runs ripgrep without configuration, rules from above the workspace, and symlinks. Its output comes in chunks; a path ends
 * with a NUL.
 *
 * @throws ToolError `PATTERN_INVALID`
 */
export async function* ripgrep({
  cwd,
  what,
  args,
  hiddenNames,
  signal,
  unreadable = () => {},
}: RipgrepRun): AsyncGenerator<string> {
  // Loaded here, because its module cannot start in a bundle to CommonJS.
  const { rgPath } = await import("@vscode/ripgrep");
  const child = spawn(
    rgPath,
    [
      ...["--no-config", "--no-ignore-messages", "--color=never", "--null"],
      ...["--hidden", "--no-follow", "--no-require-git"],
      ...["--no-ignore-parent", "--no-ignore-global", "--no-ignore-exclude"],
      ...[...args, ...hiddenNames.map((name) => `--glob=!${name}`), "--", what],
    ],
    { cwd, stdio: ["ignore", "pipe", "pipe"], signal, env: {} },
  );
  let stderr = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    const [, file, reason] = UNREADABLE.exec(line) ?? [];
    if (file !== undefined && reason !== undefined) unreadable(file, reason);
    else stderr = `${stderr}${line}\n`.slice(0, STDERR_MAX_CHARS);
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
        "PATTERN_INVALID",
        `The search failed: ${stderr.trim()}. Expected a regular expression in Rust's syntax and a glob.`,
      );
  } finally {
    child.kill("SIGKILL");
  }
}
