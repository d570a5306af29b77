export type { TaskLimits } from "./limits.ts";
export { DEFAULT_LIMITS } from "./limits.ts";
export type { ActorInputs, ToolCommand } from "./ports.ts";
export type * from "./task.types.ts";
