import type { Buffer } from "node:buffer";
import { devNull } from "node:os";
import type { RepositoryRead } from "../../ports/repository.ts";
import { messageOf, ToolError } from "../../tools/error.ts";
import { withoutOwnPrograms } from "../search-path.ts";
import { spawnGit } from "./spawn-git.ts";

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
  /** Variables that git itself gets, such as the file of its index. Default: none. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Standard input, one character per byte. Default: empty. */
  readonly input?: string;
}

/**
 * Runs git, which takes no lock, fetches nothing and starts no other program.
 *
 * @throws ToolError `FAILED`; the signal's reason
 */
export async function runGit(args: readonly string[], call: GitCall): Promise<GitOutput> {
  const { out, cut } = await runGitBytes(args, call);
  return { out: out.toString(), cut };
}

/** Runs git as `runGit` does, and returns the bytes that it writes. */
export async function runGitBytes(
  args: readonly string[],
  call: GitCall,
): Promise<{ readonly out: Buffer; readonly cut: boolean }> {
  let size = 0;
  const { out, err, code } = await spawnGit(["--no-pager", ...SETTINGS, ...args], {
    ...call,
    env: withoutOwnPrograms({ ...environmentOf(call.env), ...call.variables }, call.cwd),
    isEnough: (chunk) => {
      size += chunk.length;
      return size > call.maxBytes;
    },
  }).catch((cause: unknown) => {
    call.signal.throwIfAborted();
    throw notStarted(cause);
  });
  const cut = size > call.maxBytes;
  if (!cut && code !== 0 && !(typeof code === "number" && call.exitCodes?.includes(code) === true)) {
    const reason = err.toString().trim().split("\n", 1)[0]?.slice(0, 500);
    throw new ToolError("FAILED", `git ${args[0]} failed (${code}): ${reason}`);
  }
  return { out: out.subarray(0, call.maxBytes), cut };
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

const notStarted = (cause: unknown): ToolError =>
  new ToolError("FAILED", `git could not be started (${messageOf(cause)}). Check that it is installed.`, {
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
