export { type BuiltinOptions, builtinTools } from "./builtin/index.ts";
export { subtaskOf } from "./builtin/new-task.ts";
export { parseTodos, type TodoItem } from "./builtin/update-todo-list.ts";
export { defineTool, type ToolDefinition } from "./define-tool.ts";
export { boundedDescriptor, DESCRIPTOR_MAX_BYTES, type Descriptor, PARTIAL_MAX_BYTES } from "./descriptor.ts";
export { formatError, ToolError, type ToolErrorCode } from "./error.ts";
export * from "./policy/index.ts";
export type {
  CommandResult,
  DescribePorts,
  FileMatches,
  ResolvedPath,
  RuleFile,
  RunPorts,
  SearchOptions,
  SearchResult,
  Shell,
  Workspace,
} from "./ports.ts";
export { createRegistry, type Registry } from "./registry.ts";
export { characterBoundaryAfter, characterBoundaryBefore, cutEnd, cutMiddle, decodeText } from "./text.ts";
export type {
  Description,
  Preparation,
  PreparedCall,
  Tool,
  ToolGroup,
  ToolResult,
} from "./tool.ts";
