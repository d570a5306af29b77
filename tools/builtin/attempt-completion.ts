import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { cutEnd } from "../text.ts";
import { neverRuns } from "./asks.ts";

/** Presents the result of the task. */
export const attemptCompletion = defineTool({
  name: "attempt_completion",
  displayName: "Complete",
  group: "always",
  effect: "asks",
  ask: "completion_result",
  description:
    "Presents the result of the task once it is done and the results of all earlier calls are known to be good. The user accepts it or says what is missing.",
  input: z.object({
    result: z.string().min(1).max(200_000).describe("The result, final: no question, no offer of more help."),
  }),
  partial: (raw) => {
    const result = textOf(raw, "result");
    return result === undefined ? undefined : cutEnd(result, PARTIAL_MAX_BYTES - 100);
  },
  describe: ({ result }) => result,
  run: neverRuns("attempt_completion"),
});
