import path from "node:path";
import type { SandboxOptions } from "../adapters/sandbox/options.ts";
import type { Settings } from "./schema.ts";

/** The sandbox of the settings. */
export interface SelectedSandbox {
  /** The option `sandbox` of tasks. Undefined: commands run without one. */
  readonly commands: SandboxOptions | undefined;
  /** The accesses of hooks and MCP servers that run in the sandbox. */
  readonly accesses: SandboxOptions;
}

/** Files of the user's folder with keys, which no command in a sandbox can read. */
const KEYS = ["keys.yaml", "mcp-logins"];

/** The sandbox of the settings. `configDir` is the user's folder, whose keys are hidden. */
export function selectSandbox(
  { settings: { sandbox = {} } }: { readonly settings: Pick<Settings, "sandbox"> },
  configDir: string,
): SelectedSandbox {
  const { enabled, hosts, write, read, denyRead = [], denyWrite, allowCommands } = sandbox;
  const accesses = {
    denyRead: [...denyRead, ...KEYS.map((name) => path.join(configDir, name))],
    ...(hosts !== undefined && { hosts }),
    ...(write !== undefined && { write }),
    ...(read !== undefined && { read }),
    ...(denyWrite !== undefined && { denyWrite }),
  };
  const commands = { ...accesses, ...(allowCommands !== undefined && { allowCommands }) };
  return { commands: enabled === true ? commands : undefined, accesses };
}
