/** The permission modes, from the strictest. */
export const PERMISSION_MODES = ["plan", "ask", "auto-edit", "auto", "bypass"] as const;

/**
 * The verdict on calls that no rule is about.
 *
 * - `plan`: every call that may change something is denied, whatever the rules allow.
 * - `ask`: a person is asked.
 * - `auto-edit`: edits inside the workspace are allowed.
 * - `auto`: all calls inside the workspace are allowed, and all commands that can be judged statically.
 * - `bypass`: what a person would be asked is allowed, and denied where a rule that denies may match. Denials hold.
 */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** The effect of a rule. `deny` precedes `ask`, which precedes `allow`. */
export type PermissionLevel = "allow" | "ask" | "deny";

/** A rule of the session: of one task and its subtasks, such as `{ level: "allow", rule: "command(npm test *)" }`. */
export interface SessionRule {
  readonly level: PermissionLevel;
  readonly rule: string;
}

/** The permissions that the user gives a task at run time, besides its policy. */
export interface PermissionState {
  /** Grows with each change of what may permit a call. A verdict of an earlier revision starts no call (law GATE). */
  readonly revision: number;
  readonly mode: PermissionMode;
  readonly rules: readonly SessionRule[];
  /** A change that only permits more and came while a call was asked about. It applies when that ask is closed. */
  readonly held?: { readonly mode?: PermissionMode; readonly rules?: readonly SessionRule[] };
}

type Permitted = Pick<PermissionState, "mode" | "rules">;

/** The permissions as the user has chosen them: with the change that is held. */
export const chosenPermissions = ({ mode, rules, held }: PermissionState): Permitted => ({
  mode: held?.mode ?? mode,
  rules: held?.rules ?? rules,
});

/**
 * Whether a change permits more than now and nothing less: a later mode of {@link PERMISSION_MODES}, more rules that allow,
 * fewer that ask or deny. Not so a change that names nothing: the policy has changed, in whatever direction.
 */
export function onlyPermitsMore(
  now: Permitted,
  { mode = now.mode, rules = now.rules }: Partial<Permitted>,
): boolean {
  const steps = PERMISSION_MODES.indexOf(mode) - PERMISSION_MODES.indexOf(now.mode);
  const added = without(rules, now.rules);
  const removed = without(now.rules, rules);
  const isLooser = steps > 0 || added.some(allows) || !removed.every(allows);
  const isStricter = steps < 0 || !added.every(allows) || removed.some(allows);
  return isLooser && !isStricter;
}

const allows = ({ level }: SessionRule): boolean => level === "allow";

const without = (rules: readonly SessionRule[], others: readonly SessionRule[]): readonly SessionRule[] =>
  rules.filter(({ level, rule }) => !others.some((other) => other.level === level && other.rule === rule));
