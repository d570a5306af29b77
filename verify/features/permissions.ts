import type { PermissionMode } from "../../machines/tool-call/index.ts";
import type { Feature } from "./feature.ts";

/** The user changes what is permitted. */
export const permissions: Feature = {
  name: "permissions",
  events: ({ view: { context }, bounds, at }) =>
    bounds.permits
      ? MODES.filter((mode) => mode !== context.permissions.mode).map((mode) => ({
          type: "permissions.changed",
          at,
          mode,
        }))
      : [],
};

const MODES: readonly PermissionMode[] = ["ask", "plan", "bypass"];
