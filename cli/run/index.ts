export { formatCommandLine } from "../command-line.ts";
export { type DebugLog, mask, openDebugLog } from "./debug-log.ts";
export { closeHost, Exit, endOnSignal, listenToSignals } from "./exit.ts";
export { followupExpiry, waitMs } from "./followup.ts";
export { formatConnecting, formatMcpStatus, mcpLogins, openMcp, warnOn } from "./mcp.ts";
export { noEndpoint, noKey, noModel } from "./missing.ts";
export { readScript } from "./mock-provider.ts";
export { openProvider } from "./provider.ts";
export { findSession, formatDropped, openSession } from "./session.ts";
export type {
  Leave,
  ListedRule,
  ModelProfile,
  ModelSettings,
  ProviderEnvironment,
  RunCommand,
  RunCommands,
  RunContext,
  RunModels,
  RunRules,
  RunSettings,
  Session,
  TaskSettings,
} from "./settings.ts";
export {
  completionResult,
  isHandledHere,
  type RunHost,
  startTask,
  subtaskNumber,
  subtasksOf,
} from "./subtasks.ts";
export { formatUnanswered } from "./unanswered.ts";
