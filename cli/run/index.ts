export { type DebugLog, openDebugLog } from "./debug-log.ts";
export { nobodyAnswers } from "./nobody.ts";
export { openProvider, readScript } from "./provider.ts";
export type { Leave, Provider, RunSettings } from "./settings.ts";
