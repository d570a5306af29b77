import type { TaskContext } from "../../machines/task/task.context.ts";
import type { PermissionMode } from "../../machines/tool-call/permissions.ts";
import type { Feature } from "./feature.ts";

/** The user changes what is permitted. */
export const permissions: Feature = {
  name: "permissions",
  parts: { permissions: ({ view, bounds }) => (bounds.permits ? permissionsOf(view.context) : 0) },
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

/** The facts that the verdict on a call depends on, and which calls are judged again before they start. */
const permissionsOf = ({ permissions: { mode, revision, held }, turn }: TaskContext) => [
  mode,
  held?.mode ?? 0,
  turn.calls.map((call) => "asked" in call),
  turn.calls.map((call) => "review" in call && call.review.revision !== revision),
  turn.calls.map((call) => call.phase === "deciding" && call.digest !== undefined),
];
