import type { SystemShell } from "../../../adapters/shell/shell.ts";
import { RunError } from "../run-error.ts";
import type { ControlSetting } from "./setting.ts";

/** Longest time of a check, in milliseconds. */
const CHECK_TIMEOUT_MS = 60_000;
/** Exit codes of a shell: a program is missing, or can't be run. */
const MISSING = [126, 127];

interface CheckPlace {
  readonly shell: SystemShell;
  readonly workspace: string;
  readonly signal: AbortSignal;
}

/** Whether a task of a setting is done in a workspace. @throws RunError `SETTING_INVALID` for a check whose programs are missing */
export async function isDone(
  { name, checks }: ControlSetting,
  task: keyof ControlSetting["checks"],
  { shell, workspace, signal }: CheckPlace,
): Promise<boolean> {
  const check = {
    command: checks[task],
    cwd: workspace,
    timeoutMs: CHECK_TIMEOUT_MS,
    signal,
    output: () => {},
  };
  const { exitCode, output } = await shell.run(check);
  if (exitCode !== undefined && MISSING.includes(exitCode))
    throw new RunError(
      "SETTING_INVALID",
      `Setting "${name}": expected a check whose commands exist, got exit code ${exitCode}: ${output.trim().slice(0, 200)}. Correct it.`,
    );
  return exitCode === 0;
}
