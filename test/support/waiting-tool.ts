import { z } from "zod";
import { defineTool, type Tool } from "../../tools/index.ts";

/** The tool `wait`, which runs until it is stopped. */
export const waitingTool = (onStart: () => void): Tool =>
  defineTool({
    name: "wait",
    description: "Waits until it is stopped.",
    inputSchema: z.object({}),
    effect: "executes",
    execute: (_, { signal }) => {
      onStart();
      return new Promise<string>((resolve) =>
        signal.addEventListener("abort", () => resolve("I was stopped.")),
      );
    },
  });
