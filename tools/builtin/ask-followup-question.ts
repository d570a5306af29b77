import { z } from "zod";
import { MODE_SLUG } from "../../machines/task/mode.ts";
import type { Input } from "../../machines/tool-call/call.ts";
import { defineTool } from "../define-tool.ts";
import { PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { cutEnd } from "../text.ts";
import { neverRuns } from "./asks.ts";

const TEXT_MAX_CHARS = 20_000;

const input = z.object({
  question: z.string().min(1).max(TEXT_MAX_CHARS).describe("The question, complete and specific."),
  follow_up: z
    .array(
      z.object({
        text: z.string().min(1).max(TEXT_MAX_CHARS).describe("An answer that could be given as it is."),
        mode: z
          .string()
          .regex(MODE_SLUG, "expected the slug of a mode, such as code, ask or architect")
          .nullish()
          .describe("The mode to change to with this answer."),
      }),
    )
    .min(1)
    .max(4)
    .describe("Answers to choose from."),
});

/** Asks the user a question. */
export const askFollowupQuestion = defineTool({
  name: "ask_followup_question",
  displayName: "Ask a question",
  group: "always",
  effect: "asks",
  ask: "followup",
  description:
    "Asks the user a question that must be answered before the work can go on, with one to four answers to choose from.",
  inputSchema: input,
  partial: (raw) => {
    const question = textOf(raw, "question");
    return question === undefined ? undefined : cutEnd(question, PARTIAL_MAX_BYTES - 100);
  },
  describe: ({ question, follow_up }) =>
    JSON.stringify({
      question,
      suggest: follow_up.map(({ text, mode }) => (mode == null ? { answer: text } : { answer: text, mode })),
    }),
  execute: neverRuns("ask_followup_question"),
});

/** The modes that the suggestions of an ask_followup_question call name. Empty if the arguments are invalid. */
export function suggestedModesOf(call: Input): readonly string[] {
  return input.safeParse(call).data?.follow_up.flatMap(({ mode }) => mode ?? []) ?? [];
}
