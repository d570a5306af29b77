import {
  chosenPermissions,
  type PermissionMode,
  type PermissionState,
  type SessionRule,
} from "../../machines/tool-call/permissions.ts";

/** A change of what is permitted. `rules` replaces the rules of the session. What is absent stays. */
export interface PermissionChange {
  /** The permission mode. */
  readonly level?: PermissionMode;
  readonly rules?: readonly SessionRule[];
}

/** The permissions as the user has chosen them: with the change that is held. */
export function permissionsOf(state: PermissionState): Required<PermissionChange> {
  const { mode: level, rules } = chosenPermissions(state);
  return { level, rules };
}
