import { commandHook } from "../adapters/hooks/command-hook.ts";
import type { SandboxOptions } from "../adapters/sandbox/options.ts";
import type { Hook } from "../tools/hook.ts";
import type { SettingEntry } from "./entry.ts";
import { SettingsError } from "./error.ts";
import type { Settings } from "./schema.ts";

/**
 * The hooks of the settings, the user's first. The commands don't get the keys of profiles. `accesses` are for the hooks that run in
 * the sandbox, from `selectSandbox`.
 */
export const selectHooks = (
  { settings: { hooks = [] } }: { readonly settings: Pick<Settings, "hooks"> },
  { withheldEnv }: { readonly withheldEnv: readonly string[] },
  accesses: SandboxOptions = {},
): readonly Hook[] =>
  hooks.map(({ name, points, command, tools, timeoutMs, keepOriginal, sandbox }) =>
    commandHook({
      name,
      points,
      command,
      withheldEnv,
      ...(tools !== undefined && { tools }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(keepOriginal !== undefined && { keepOriginal }),
      ...(sandbox === true && { sandbox: accesses }),
    }),
  );

/** Assert that no hook replaces another: a hook of a project does not replace the user's. @throws SettingsError `SETTINGS_INVALID` */
export function assertHookNames(entries: readonly SettingEntry[]): void {
  const origins = new Map<string, string>();
  for (const { path, value, origin } of entries) {
    if (path.join() !== "hooks") continue;
    const name = nameOf(value);
    const other = origins.get(name);
    if (other !== undefined)
      throw new SettingsError(
        "SETTINGS_INVALID",
        `${origin}: hooks: expected a unique name, but a hook of ${other} is also named '${name}'. Rename one.`,
      );
    origins.set(name, origin);
  }
}

const nameOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "name" in value ? String(value.name) : "";
