import { z } from "zod";

export const taskParams = z.object({ taskId: z.string() });

/** `microsteps`: whether new events have microsteps. Default false: then the machine is not inspected. */
export const followParams = taskParams.extend({
  microsteps: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),
});

/** An ask's id is the `ts` of its message. */
export const askParams = z.object({
  taskId: z.string(),
  askId: z
    .string()
    .regex(/^\d{1,15}$/, "expected the id of an ask, a number")
    .transform(Number),
});

export const queuedParams = z.object({ taskId: z.string(), messageId: z.string() });
