import { homedir } from "node:os";
import path from "node:path";
import { EXPECTED_HOST, parseHostPattern } from "../../tools/web/host.ts";

/**
 * The accesses of commands in a sandbox. They read every file but denied ones, and write only in the workspace and in a temporary
 * folder. A path is absolute, begins with `~/`, or is relative to the workspace; one with `*`, `?` or `**` means the files that
 * exist when a command starts. The longest path that contains a file decides, and among equal ones the denial.
 */
export interface SandboxOptions {
  /** Hosts that are reached, through a proxy: `example.com`, `*.example.com` or `*`. Default: none. */
  readonly hosts?: readonly string[];
  /** More files and folders that can be written, such as `~/.npm`. Default: none. */
  readonly write?: readonly string[];
  /** Files and folders that can be read although a folder above them is denied. Default: none. */
  readonly read?: readonly string[];
  /** Files and folders that can't be read, besides keys such as `~/.ssh`. Default: none. */
  readonly denyRead?: readonly string[];
  /** Files and folders that can't be written, besides hooks and settings that start programs, such as `.git/hooks`. */
  readonly denyWrite?: readonly string[];
  /** Whether the permission mode `auto` asks about no command, as each runs in the sandbox. Default false. */
  readonly allowCommands?: boolean;
}

/** The accesses of the commands of one task. */
export interface TaskSandboxOptions extends SandboxOptions {
  /** Folders of other tasks. No setting makes them readable. */
  readonly hidden?: readonly string[];
}

/** Keys and logins of the usual programs, below the home folder. */
export const KEYS: readonly string[] = [
  ...["~/.ssh", "~/.gnupg", "~/.aws", "~/.azure", "~/.kube", "~/.config/gcloud", "~/.config/gh"],
  ...["~/.docker/config.json", "~/.netrc", "~/.git-credentials", "~/.npmrc", "~/.pypirc", "~/.pgpass"],
  ...["~/.cargo/credentials.toml", "~/.password-store", "~/.local/share/keyrings", "~/Library/Keychains"],
  ...["~/.bash_history", "~/.zsh_history"],
];

/** Files of a workspace that make other programs start commands. Those that exist can't be written. */
export const STARTERS: readonly string[] = [
  ...[".git/hooks", ".git/config", ".husky", ".envrc", ".vscode", ".idea", ".devcontainer"],
  ...[".signalbox", ".roo", ".roomodes", ".mcp.json"],
];

/** The absolute path that a setting means. */
export const absolutePath = (given: string, workspace: string): string =>
  path.resolve(workspace, isInHome(given) ? homedir() + given.slice(1) : given);

/** Whether a setting means another path in each workspace. */
export const isRelative = (given: string): boolean => !path.isAbsolute(given) && !isInHome(given);

const isInHome = (given: string): boolean => given === "~" || given.startsWith("~/");

/** The error of a text that is no pattern of hosts; undefined for one that is. */
export const hostPatternError = (text: string): string | undefined =>
  parseHostPattern(text) === undefined ? `expected ${EXPECTED_HOST}` : undefined;
