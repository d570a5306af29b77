import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { neverRuns } from "./asks.ts";

const input = z.object({
  id: z.string().min(1).max(100).nullish().describe("The id of the wake-up. Without it, all are cancelled."),
});

/** Cancels wake-ups of the task. */
export const cancelWakeUp = defineTool({
  name: "cancel_wakeup",
  displayName: "Cancel wake-up",
  group: "always",
  effect: "none",
  replayable: false,
  ask: "tool",
  description: "Cancels a wake-up of this task by its id, or all of them.",
  inputSchema: input,
  partial: (raw) => {
    const id = textOf(raw, "id");
    return id === undefined ? undefined : descriptor(id, PARTIAL_MAX_BYTES);
  },
  describe: ({ id }) => descriptor(id),
  changesWakeUps: ({ id }) => ({ kind: "cancel", ...(typeof id === "string" && { id }) }),
  execute: neverRuns("cancel_wakeup", "applied by the task"),
});

const descriptor = (id: string | null | undefined, maxBytes?: number): string =>
  boundedDescriptor({ tool: "cancelWakeUp", id: id ?? undefined }, maxBytes);
