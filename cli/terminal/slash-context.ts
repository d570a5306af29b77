import type { Task } from "../../runtime/index.ts";
import type { Modes } from "../../tools/index.ts";
import type { ModelProfile, RunRules } from "../run/index.ts";

/** What the commands need from the run. */
export interface SlashContext {
  /** The task in focus: the one that is run, or its subtask. */
  task(): Task;
  /** The task that is run. */
  readonly root: Task;
  readonly modes: Modes;
  /** The profiles of the settings. */
  readonly profiles: readonly ModelProfile[];
  /** The rules besides those of the session. */
  readonly rules: RunRules;
  say(line: string): void;
  cancel(): void;
  quit(): void;
}
