import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import type { Tool } from "../tool.ts";
import { assertInBackground, SUBTASK_ID } from "./background-subtasks.ts";

const MESSAGE_MAX_CHARS = 50_000;

/** Sends a message to a subtask in the background. */
export const messageSubtask: Tool = {
  ...defineTool({
    name: "message_subtask",
    displayName: "Message a subtask",
    group: "always",
    effect: "none",
    replayable: false,
    description:
      "Sends a message to a subtask in the background, which gets it with its next request. It has no other answer than the result of the subtask.",
    inputSchema: z.object({
      id: SUBTASK_ID.describe("The id of the subtask."),
      message: z.string().min(1).max(MESSAGE_MAX_CHARS).describe("The message."),
    }),
    partial: (raw) => {
      const message = textOf(raw, "message");
      return message === undefined ? undefined : descriptor(textOf(raw, "id"), message, PARTIAL_MAX_BYTES);
    },
    describe: ({ id, message }) => descriptor(id, message),
    execute: async ({ id, message }, { backgroundSubtasks, signal }) => {
      await assertInBackground(backgroundSubtasks).send(id, message, signal);
      return `Subtask ${id} gets the message with its next request.`;
    },
  }),
  requires: "backgroundSubtasks",
};

const descriptor = (id: string | undefined, message: string, maxBytes?: number): string =>
  boundedDescriptor({ tool: "messageSubtask", id, content: message }, maxBytes);
