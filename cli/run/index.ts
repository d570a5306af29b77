export { type DebugLog, openDebugLog } from "./debug-log.ts";
export { completedIn, type Household, isDealtWith, numberOf, subtasksOf } from "./family.ts";
export { nobodyAnswers } from "./nobody.ts";
export { openSession, sayDropped, sessionId } from "./open.ts";
export { openProvider, readScript } from "./provider.ts";
export type { Leave, Provider, RunSettings, Session } from "./settings.ts";
export { commandLine } from "./words.ts";
