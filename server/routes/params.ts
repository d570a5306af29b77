import { z } from "zod";

export const taskParams = z.object({ taskId: z.string() });

/** `microsteps`: whether what comes has them. Default: no, and then nothing observes the machine. */
export const followParams = taskParams.extend({
  microsteps: z
    .enum(["true", "false"])
    .default("false")
    .transform((said) => said === "true"),
});

/** An ask's id is the time of its row. */
export const askParams = z.object({
  taskId: z.string(),
  askId: z
    .string()
    .regex(/^\d{1,15}$/, "expected the id of an ask, a number")
    .transform(Number),
});

export const queuedParams = z.object({ taskId: z.string(), messageId: z.string() });
