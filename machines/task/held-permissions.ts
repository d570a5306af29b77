import { chosenPermissions, type PermissionState } from "../tool-call/permissions.ts";
import type { Change } from "./change.ts";

/** Changes what is permitted: verdicts on calls that have not started are stale. A change that was held applies with it. */
export function revise(change: Change, changed: Partial<Pick<PermissionState, "mode" | "rules">>): void {
  const { permissions } = change.context;
  const revision = permissions.revision + 1;
  change.set({ permissions: { revision, ...chosenPermissions(permissions), ...changed } });
}

/** Applies the change that was held while a call was asked about. */
export function applyHeldPermissions(change: Change): void {
  if (change.context.permissions.held !== undefined) revise(change, {});
}
