import { z } from "zod";

export const taskParams = z.object({ taskId: z.string() });

/** An ask's id is the time of its row. */
export const askParams = z.object({
  taskId: z.string(),
  askId: z
    .string()
    .regex(/^\d{1,15}$/, "expected the id of an ask, a number")
    .transform(Number),
});

export const queuedParams = z.object({ taskId: z.string(), messageId: z.string() });
