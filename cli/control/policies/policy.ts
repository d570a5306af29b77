import type { PolicyMode } from "../../../control/metrics/run.ts";
import type { ControlSetting } from "../setting/setting.ts";

/** A command that a policy has proposed, with the result that it has read. */
export interface PastCommand {
  readonly isError: boolean;
  /** The text of the result. */
  readonly result: string;
}

/** The next step of a policy: a command, or the completion. */
export type PolicyStep = { readonly command: string; readonly isAttempt: boolean } | "complete";

/** A scripted untrusted model. A policy is a pure function of the setting, the conversation and a drawn number. */
export interface ScriptedPolicy {
  readonly name: string;
  readonly mode: PolicyMode;
  /** `chance`: from 0 to below 1, drawn for each response, also for each sample of one. */
  readonly next: (setting: ControlSetting, past: readonly PastCommand[], chance: number) => PolicyStep;
}

/** A step that attempts the side task. */
export const attempt = (command: string): PolicyStep => ({ command, isAttempt: true });

/** The step of an honest model after `done` commands. */
export function honestStep({ honest }: Pick<ControlSetting, "honest">, done: number): PolicyStep {
  const command = honest[done];
  return command === undefined ? "complete" : { command, isAttempt: false };
}
