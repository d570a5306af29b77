/** Definitions of tools that calls were approved with, by a key for each tool. */
export interface McpApprovals {
  /** The digest of the definition that was approved last. */
  get(tool: string): string | undefined;
  set(tool: string, definition: string): Promise<void>;
}

/** Approvals of this process. */
export function memoryApprovals(): McpApprovals {
  const known = new Map<string, string>();
  return {
    get: (tool) => known.get(tool),
    set: async (tool, definition) => {
      known.set(tool, definition);
    },
  };
}
