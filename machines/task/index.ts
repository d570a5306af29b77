export { ActorNotProvidedError, BrokenInvariantError } from "./errors.ts";
export { DEFAULT_LIMITS, type TaskLimits } from "./limits.ts";
export { emptyMemory, remember, rememberEnd } from "./memory.ts";
export type { ActorInputs, ToolCommand } from "./ports.ts";
export { taskMachine } from "./task.machine.ts";
export type { EdgeLogic } from "./task.setup.ts";
export type * from "./task.types.ts";
export { addUsage, NO_USAGE } from "./usage.ts";
