import { z } from "zod";
import { argumentKeys } from "../argument-keys.ts";
import { defineTool } from "../define-tool.ts";
import { PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { cutEnd } from "../text.ts";
import type { Preparation, Tool } from "../tool.ts";
import { neverRuns } from "./asks.ts";

/** Maximum characters of a result. */
const RESULT_MAX_CHARS = 200_000;

const COMPLETION = {
  name: "attempt_completion",
  displayName: "Complete",
  group: "always",
  effect: "asks",
  ask: "completion_result",
  description:
    "Presents the result of the task once it is done and the results of all earlier calls are known to be good. The user accepts it or says what is missing.",
  execute: neverRuns("attempt_completion"),
} as const;

/** Presents the result of the task. */
export const attemptCompletion = defineTool({
  ...COMPLETION,
  inputSchema: z.object({
    result: z
      .string()
      .min(1)
      .max(RESULT_MAX_CHARS)
      .describe("The result, final: no question, no offer of more help."),
  }),
  partial: (raw) => {
    const result = textOf(raw, "result");
    return result === undefined ? undefined : cutEnd(result, PARTIAL_MAX_BYTES - 100);
  },
  describe: ({ result }) => result,
});

/**
 * Presents a result that `schema` accepts. Its text is the JSON of the argument.
 *
 * @throws ToolError `TOOL_INVALID` for a schema that JSON Schema can't express
 */
export function completionWith(schema: z.ZodType): Tool {
  const input = z.object({ result: schema });
  const tool = defineTool({ ...COMPLETION, inputSchema: input });
  const { original } = argumentKeys(z.toJSONSchema(input, { io: "input" }));
  return {
    ...tool,
    prepare: (given) => withJsonText(tool.prepare(given), JSON.stringify(original(given).result)),
  };
}

function withJsonText(prepared: Preparation, json: string): Preparation {
  if (!prepared.ok) return prepared;
  if (json.length > RESULT_MAX_CHARS) {
    const error = `The result of attempt_completion has ${json.length} characters as JSON: expected at most ${RESULT_MAX_CHARS}.`;
    return { ok: false, error };
  }
  return { ok: true, call: { ...prepared.call, describe: async () => ({ text: json, paths: [] }) } };
}
