import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES } from "../descriptor.ts";
import { neverRuns } from "./asks.ts";
import { SUBTASK_ID } from "./background-subtasks.ts";

const IDS_MAX = 100;

/** Waits for subtasks in the background. */
export const waitForSubtasks = defineTool({
  name: "wait_for_subtasks",
  displayName: "Wait for subtasks",
  group: "always",
  effect: "none",
  replayable: false,
  ask: "tool",
  description:
    "Waits for subtasks in the background. Their results follow with it. A message of the user ends the wait.",
  inputSchema: z.object({
    ids: z
      .array(SUBTASK_ID)
      .min(1)
      .max(IDS_MAX)
      .nullish()
      .describe("The ids of the subtasks. Without it, all in the background."),
    until: z.enum(["any", "all"]).nullish().describe("Until any of them has ended, or all (default)."),
  }),
  partial: () => boundedDescriptor({ tool: "waitForSubtasks" }, PARTIAL_MAX_BYTES),
  describe: ({ ids, until }) =>
    boundedDescriptor({ tool: "waitForSubtasks", id: ids?.join(", "), until: until ?? "all" }),
  ordersSubtasks: ({ ids, until }) => ({ kind: "wait", until: until ?? "all", ...(ids != null && { ids }) }),
  execute: neverRuns("wait_for_subtasks", "applied by the task"),
});
