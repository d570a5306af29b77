import { z } from "zod";
import { defineTool, type Tool } from "../../tools/index.ts";

/** The tool `wait`, which ends only when it is stopped. */
export const waitingTool = (whenBegun: () => void): Tool =>
  defineTool({
    name: "wait",
    description: "Waits until it is stopped.",
    input: z.object({}),
    effect: "executes",
    run: (_, { signal }) => {
      whenBegun();
      return new Promise<string>((resolve) =>
        signal.addEventListener("abort", () => resolve("I was stopped.")),
      );
    },
  });
