import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { neverRuns } from "./asks.ts";

const input = z.object({
  intent_id: z.string().min(1).max(100).describe("The id of an active intent, such as INT-1."),
});

/** Selects the intent of the task. */
export const selectActiveIntent = defineTool({
  name: "select_active_intent",
  displayName: "Select intent",
  group: "always",
  effect: "none",
  replayable: false,
  ask: "tool",
  description:
    "Selects the intent that this task works on. Until one is selected, only reading is permitted. Call it before what changes something.",
  inputSchema: input,
  partial: (raw) => {
    const id = textOf(raw, "intent_id");
    return id === undefined ? undefined : descriptor(id, PARTIAL_MAX_BYTES);
  },
  describe: ({ intent_id: id }) => descriptor(id),
  selectsIntent: ({ intent_id: id }) => id,
  execute: neverRuns("select_active_intent", "applied by the task"),
});

const descriptor = (id: string, maxBytes?: number): string =>
  boundedDescriptor({ tool: "selectActiveIntent", id }, maxBytes);
