import { spawn } from "node:child_process";
import { devNull } from "node:os";
import type { RepositoryRead } from "../../ports/repository.ts";
import { ToolError } from "../../tools/error.ts";

/**
 * Settings on the command line, which take precedence over the repository's file: a tool may have written that. No
 * program that it names is started: hooks, monitors, signature checks, and (by `filterSettings`) filters.
 */
const SETTINGS = [
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  "log.showSignature=false",
  "safe.bareRepository=explicit",
  "core.quotePath=false",
  "diff.noprefix=false",
  "diff.mnemonicPrefix=false",
].flatMap((setting) => ["-c", setting]);

/** Options of each command that makes a diff. */
export const DIFF_OPTIONS = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-renames",
  "--relative",
  "--submodule=short",
  "--ignore-submodules=dirty",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];

export interface GitOutput {
  readonly out: string;
  /** Whether git was terminated at the limit. */
  readonly cut: boolean;
}

export interface GitCall extends RepositoryRead {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Exit codes besides 0 that are not a failure. */
  readonly exitCodes?: readonly number[];
}

/** Bytes of stderr that are kept. */
const ERROR_BYTES = 2_000;

/**
 * Runs git, which only reads: it takes no lock, fetches nothing and starts no other program.
 *
 * @throws ToolError `FAILED`; the signal's reason
 */
export function runGit(args: readonly string[], call: GitCall): Promise<GitOutput> {
  return new Promise((resolve, reject) => {
    call.signal.throwIfAborted();
    const child = spawn("git", ["--no-pager", ...SETTINGS, ...args], {
      cwd: call.cwd,
      env: environmentOf(call.env),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    const stop = (): void => void child.kill("SIGKILL");
    call.signal.addEventListener("abort", stop, { once: true });
    const out: Buffer[] = [];
    let [size, err] = [0, ""];
    child.stdout.on("data", (chunk: Buffer) => {
      if (size > call.maxBytes) return;
      out.push(chunk);
      size += chunk.length;
      if (size > call.maxBytes) stop();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (err.length < ERROR_BYTES) err += chunk.toString();
    });
    child.on("error", (cause) => reject(notStarted(cause)));
    child.on("close", (code, signal) => {
      call.signal.removeEventListener("abort", stop);
      if (call.signal.aborted) return reject(call.signal.reason);
      const cut = size > call.maxBytes;
      if (!cut && code !== 0 && !(code !== null && call.exitCodes?.includes(code) === true)) {
        const reason = err.trim().split("\n", 1)[0]?.slice(0, 500);
        return reject(new ToolError("FAILED", `git ${args[0]} failed (${code ?? signal}): ${reason}`));
      }
      resolve({ out: Buffer.concat(out).subarray(0, call.maxBytes).toString(), cut });
    });
  });
}

function environmentOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(env).filter(([name]) => !/^GIT_/i.test(name));
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    // No protocol has this name: an older git that fetches a missing object fails.
    GIT_ALLOW_PROTOCOL: "none",
  };
}

const notStarted = (cause: Error): ToolError =>
  new ToolError("FAILED", `git could not be started (${cause.message}). Check that it is installed.`, {
    cause,
  });

const FILTER = "^filter\\..*\\.(clean|smudge|process|required)$";
/** Maximum bytes of the names of filters. */
const FILTER_BYTES = 100_000;

/** Settings that disable each configured filter: a status or diff of the working tree would start it. */
export async function filterSettings(call: GitCall): Promise<readonly string[]> {
  const options = { ...call, maxBytes: FILTER_BYTES, exitCodes: [1] };
  const { out, cut } = await runGit(["config", "-z", "--name-only", "--get-regexp", FILTER], options);
  const names = out.split("\0").filter((name) => name !== "");
  // Git splits a setting at its first "=".
  if (cut || names.some((name) => name.includes("=")))
    throw new ToolError(
      "FAILED",
      "The repository has too many filters, or one with '=' in its name: expected filters that can be disabled. Remove them from its settings.",
    );
  return names.flatMap((name) => ["-c", name.endsWith(".required") ? `${name}=false` : `${name}=`]);
}
