import { DEFAULT_LIMITS } from "../machines/task/limits.ts";
import { PERMISSION_MODES } from "../machines/tool-call/permissions.ts";
import { type SettingEntry, settingAt } from "./entry.ts";
import { PROJECT_USE, type SettingPath, type Settings } from "./schema.ts";

/** A setting of a project without effect. */
export interface IgnoredSetting extends SettingEntry {
  /** A clause. */
  readonly reason: string;
  /** Whether trusting the project gives it an effect. */
  readonly needsTrust: boolean;
}

/** The settings of a project that take effect. */
export interface AdmittedSettings {
  readonly admitted: readonly SettingEntry[];
  readonly ignored: readonly IgnoredSetting[];
}

/** Divide the settings of a project. `user` are those that an untrusted project can only tighten. */
export function admitProject(
  entries: readonly SettingEntry[],
  user: Settings,
  isTrusted: boolean,
): AdmittedSettings {
  const admitted: SettingEntry[] = [];
  const ignored: IgnoredSetting[] = [];
  for (const entry of entries) {
    const objection = objectionTo(entry, user, isTrusted);
    if (objection === undefined) admitted.push(entry);
    else ignored.push({ ...entry, ...objection });
  }
  return { admitted, ignored };
}

type Objection = Pick<IgnoredSetting, "reason" | "needsTrust">;

function objectionTo(
  { path, value }: SettingEntry,
  user: Settings,
  isTrusted: boolean,
): Objection | undefined {
  const setting = settingAt(path);
  if (setting === undefined || PROJECT_USE[setting] === "never")
    return { reason: "it is never read from a project", needsTrust: false };
  if (setting === "permissions.mode" && value === "bypass")
    return { reason: "bypass is never read from a project", needsTrust: false };
  if (isTrusted) return undefined;
  if (PROJECT_USE[setting] === "trusted") return { reason: "the project is not trusted", needsTrust: true };
  return isTightening(setting, value, user)
    ? undefined
    : { reason: "the project is not trusted, so it can only be stricter", needsTrust: true };
}

function isTightening(setting: SettingPath, value: unknown, user: Settings): boolean {
  switch (setting) {
    case "permissions.mode":
      return rankOf(value) <= rankOf(user.permissions?.mode ?? "ask");
    case "sandbox.enabled":
      return value === true || user.sandbox?.enabled !== true;
    case "limits.requests":
      return Number(value) <= (user.limits?.requests ?? DEFAULT_LIMITS.requests);
    case "limits.cost":
      return Number(value) <= (user.limits?.cost ?? DEFAULT_LIMITS.cost);
    case "limits.mistakes":
      return orNone(Number(value)) <= orNone(user.limits?.mistakes ?? DEFAULT_LIMITS.mistakes);
    default:
      // Rules that ask or deny, denied paths, policies over time, and tools that are left out.
      return true;
  }
}

/** 0 disables the limit. */
const orNone = (mistakes: number): number => (mistakes === 0 ? Number.POSITIVE_INFINITY : mistakes);

/** The place of a permission mode, from the strictest. */
function rankOf(mode: unknown): number {
  const modes: readonly unknown[] = PERMISSION_MODES;
  return modes.indexOf(mode);
}
