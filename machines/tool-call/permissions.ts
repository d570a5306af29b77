/** The permission modes, from the strictest. */
export const PERMISSION_MODES = ["plan", "ask", "auto-edit", "auto", "bypass"] as const;

/**
 * What happens to calls that no rule is about.
 *
 * - `plan`: every call that may change something is denied, whatever the rules allow.
 * - `ask`: a person is asked.
 * - `auto-edit`: edits inside the workspace are allowed.
 * - `auto`: all calls inside the workspace are allowed, and all commands that can be judged statically.
 * - `bypass`: what a person would be asked is allowed, and denied where a rule that denies may match. Denials hold.
 */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** What a rule does. `deny` precedes `ask`, which precedes `allow`. */
export type PermissionLevel = "allow" | "ask" | "deny";

/** A rule of the session: of one task and its subtasks, such as `{ level: "allow", rule: "command(npm test *)" }`. */
export interface SessionRule {
  readonly level: PermissionLevel;
  readonly rule: string;
}

/** What the user permits a task at run time, besides its policy. */
export interface PermissionState {
  /** Grows with each change of what may permit a call. A verdict of an earlier revision starts no call (law GATE). */
  readonly revision: number;
  readonly mode: PermissionMode;
  readonly rules: readonly SessionRule[];
}
