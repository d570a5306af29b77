import { PERMISSION_MODES, type PermissionLevel, type PermissionMode } from "./permissions.ts";

/** The part of its parent's permissions that a subtask does not have (law GRANT). Nothing in it permits a call. */
export interface Restriction {
  /** The most permissive mode that the subtask has. */
  readonly level?: PermissionMode;
  /** Rules that hold besides the parent's. */
  readonly rules?: readonly RestrictingRule[];
  /** The names and groups of its tools. The tool that completes it is one of them in any case. */
  readonly tools?: readonly string[];
}

/** A rule that permits nothing. */
export interface RestrictingRule {
  readonly level: Exclude<PermissionLevel, "allow">;
  readonly rule: string;
}

/** The permission mode that these restrictions leave of a mode: the strictest of all. */
export const restrictedMode = (restrictions: readonly Restriction[], mode: PermissionMode): PermissionMode =>
  restrictions.reduce((strictest, { level = mode }) => stricterMode(strictest, level), mode);

const stricterMode = (one: PermissionMode, other: PermissionMode): PermissionMode =>
  PERMISSION_MODES.indexOf(one) < PERMISSION_MODES.indexOf(other) ? one : other;
