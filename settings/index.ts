export { SettingsError } from "./error.ts";
export { selectHooks } from "./hooks.ts";
export { type IntentLimits, openIntents } from "./intents.ts";
export { readProfileKey } from "./keys.ts";
export { loadSettings } from "./load.ts";
export { selectMcpServers } from "./mcp.ts";
export { readModes } from "./modes/read-modes.ts";
export { readPolicies } from "./policies.ts";
export { modeProfiles, selectProfile } from "./profile.ts";

export { selectShell } from "./shell.ts";
