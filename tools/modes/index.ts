export { BUILTIN_MODES } from "./builtin-modes.ts";
export type { FilePattern, Mode, ModeGroup, ModePermission } from "./mode.ts";
export { createModes, type Modes } from "./modes.ts";
export { type ToolUse, validateToolUse } from "./validate-tool-use.ts";
