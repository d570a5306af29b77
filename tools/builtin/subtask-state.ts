import { z } from "zod";
import type { BackgroundSubtaskState } from "../../ports/background-subtasks.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES } from "../descriptor.ts";
import type { Tool } from "../tool.ts";
import { assertInBackground, SUBTASK_ID } from "./background-subtasks.ts";

/** Tells the states of the subtasks in the background. */
export const subtaskState: Tool = {
  ...defineTool({
    name: "subtask_state",
    displayName: "State of subtasks",
    group: "always",
    effect: "reads",
    description:
      "Tells the state of each subtask in the background, its newest text, and what it has used. To wait for one, use wait_for_subtasks.",
    inputSchema: z.object({ id: SUBTASK_ID.nullish().describe("The id of one subtask. Without it, all.") }),
    partial: () => boundedDescriptor({ tool: "subtaskState" }, PARTIAL_MAX_BYTES),
    describe: ({ id }) => boundedDescriptor({ tool: "subtaskState", id: id ?? undefined }),
    execute: async ({ id }, { backgroundSubtasks }) => {
      const states = await assertInBackground(backgroundSubtasks).states(id ?? undefined);
      return states.length === 0 ? "No subtask is in the background." : states.map(format).join("\n\n");
    },
  }),
  requires: "backgroundSubtasks",
};

function format({ id, title, state, latest, used }: BackgroundSubtaskState): string {
  const name = title === undefined ? id : `${id} (${title})`;
  return [
    `${name}: ${state}`,
    ...(used === undefined ? [] : [`Used: ${used.tokens} tokens${costOf(used.cost)}`]),
    ...(latest === undefined ? [] : [`Newest text: ${latest}`]),
  ].join("\n");
}

const costOf = (cost: number | null): string => (cost === null ? "" : `, $${cost.toFixed(4)}`);
