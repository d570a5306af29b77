import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import { profileNames, selectedProfile } from "../../machines/task/profile.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../machines/tool-call/permissions.ts";
import { HostError } from "../../runtime/task/errors.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { Modes } from "../../tools/modes/modes.ts";
import { assertApplied } from "../refusal.ts";

const PERMISSIONS: Readonly<Record<PermissionMode, string>> = {
  plan: "Calls that may change something are denied",
  ask: "Ask about calls that no rule is about",
  "auto-edit": "Allow edits inside the workspace",
  auto: "Allow what stays inside the workspace, and commands that can be judged",
  bypass: "Allow everything that no rule denies",
};

/** The modes of a task, for clients without config options. */
export const modeState = ({ snapshot }: Task, { list }: Modes): SessionModeState => ({
  currentModeId: snapshot.context.mode,
  availableModes: list.map(({ slug: id, name, whenToUse }) => ({
    id,
    name,
    ...(whenToUse !== undefined && { description: whenToUse }),
  })),
});

/** The choices of a client for a task: its mode, its model, and its permissions. */
export function configOptions(task: Task, modes: Modes): SessionConfigOption[] {
  const { context } = task.snapshot;
  const { availableModes, currentModeId } = modeState(task, modes);
  return [
    {
      type: "select",
      id: "mode",
      category: "mode",
      name: "Mode",
      currentValue: currentModeId,
      options: availableModes.map(({ id: value, ...mode }) => ({ value, ...mode })),
    },
    {
      type: "select",
      id: "model",
      category: "model",
      name: "Model",
      currentValue: selectedProfile(context),
      options: profileNames(context.profiles).map((value) => ({ value, name: modelName(task, value) })),
    },
    {
      type: "select",
      id: "permissions",
      name: "Permissions",
      currentValue: context.permissions.mode,
      options: PERMISSION_MODES.map((value) => ({
        value,
        name: value === context.permissions.held?.mode ? `${value} (pending)` : value,
        description: PERMISSIONS[value],
      })),
    },
  ];
}

/** The profile with the name of its model. */
function modelName({ snapshot: { context } }: Task, profile: string): string {
  const { standard, models } = context.profiles;
  const model = profile === standard ? context.standardModel : models[profile];
  return model === undefined ? profile : `${model.id} (${profile})`;
}

/** Set an option of a task. @throws HostError `OPTION_INVALID` for an option or a value that does not exist */
export function setConfigOption(task: Task, id: string, value: string | boolean): void {
  const chosen = String(value);
  if (id === "mode") assertApplied(task.switchMode(chosen));
  else if (id === "model") assertApplied(task.selectProfile(chosen));
  else if (id === "permissions") assertApplied(task.changePermissions({ level: permissionMode(chosen) }));
  else
    throw new HostError(
      "OPTION_INVALID",
      `Expected the option mode, model or permissions, got ${JSON.stringify(id.slice(0, 100))}.`,
    );
}

function permissionMode(value: string): PermissionMode {
  const mode = PERMISSION_MODES.find((each) => each === value);
  if (mode !== undefined) return mode;
  throw new HostError(
    "OPTION_INVALID",
    `Expected a permission mode (${PERMISSION_MODES.join(", ")}), got ${JSON.stringify(value.slice(0, 100))}.`,
  );
}
