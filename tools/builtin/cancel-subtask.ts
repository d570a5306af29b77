import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { neverRuns } from "./asks.ts";
import { SUBTASK_ID } from "./background-subtasks.ts";

/** Cancels a subtask in the background. */
export const cancelSubtask = defineTool({
  name: "cancel_subtask",
  displayName: "Cancel subtask",
  group: "always",
  effect: "none",
  replayable: false,
  ask: "tool",
  description: "Cancels a subtask in the background: nothing more of it starts, and it has no result.",
  inputSchema: z.object({ id: SUBTASK_ID.describe("The id of the subtask.") }),
  partial: (raw) => {
    const id = textOf(raw, "id");
    return id === undefined ? undefined : descriptor(id, PARTIAL_MAX_BYTES);
  },
  describe: ({ id }) => descriptor(id),
  ordersSubtasks: ({ id }) => ({ kind: "cancel", id }),
  execute: neverRuns("cancel_subtask", "applied by the task"),
});

const descriptor = (id: string, maxBytes?: number): string =>
  boundedDescriptor({ tool: "cancelSubtask", id }, maxBytes);
