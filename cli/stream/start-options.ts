import { z } from "zod";
import type { TaskOptions } from "../../runtime/index.ts";
import { askAPerson } from "../../tools/index.ts";
import type { StdinCommandOf } from "../../wire/index.ts";

/** What a client may set for one task. What is of another form, and whatever else it says, is ignored. */
const configurationSchema = z.object({
  /** The slug of the mode that the task begins in. */
  mode: z.string().trim().min(1).optional().catch(undefined),
  /** 0 is never. */
  consecutiveMistakeLimit: z.int().min(0).optional().catch(undefined),
  /** `false`: a person is asked about everything. `true` allows no more than the command line does (L7). */
  autoApprovalEnabled: z.boolean().optional().catch(undefined),
});

/** The options of a task with what its start says. */
export function withConfiguration(
  options: Omit<TaskOptions, "id" | "workspace">,
  { configuration = {} }: StdinCommandOf<"start">,
): Omit<TaskOptions, "id" | "workspace"> {
  const { mode, consecutiveMistakeLimit, autoApprovalEnabled } = configurationSchema.parse(configuration);
  return {
    ...options,
    ...(mode !== undefined && { mode }),
    ...(consecutiveMistakeLimit !== undefined && {
      limits: { ...options.limits, mistakes: consecutiveMistakeLimit },
    }),
    ...(autoApprovalEnabled === false && { policy: askAPerson() }),
  };
}
