import type { Rig, RigOptions } from "./host.ts";
import { completes, openSubtaskRig, type Step, scriptByMode } from "./subtasks.ts";

/** A call of new_task whose subtask works in the background. */
export const inBackground = (mode: string, more = ""): string =>
  `{ tool: new_task, input: { mode: ${mode}, message: Work in ${mode}., background: true${more} } }`;

export const call = (tool: string, input = ""): string => `{ tool: ${tool}, input: { ${input} } }`;

export const question = (text: string): string =>
  call("ask_followup_question", `question: "${text}", follow_up: [{ text: left }]`);

/** The turns of a subtask that asks a question, then completes. */
export const asking = (mode: string): readonly Step[] => [
  { mode, after: "ask_followup_question", turn: completes(`Done in ${mode}.`) },
  { mode, turn: question("Which?") },
];

/** The turn after a completion that came before the results of subtasks. */
const COMPLETES_AGAIN: Step = { mode: "code", after: "attempt_completion", turn: completes("All done.") };

/** Open a rig whose subtasks may work in the background. */
export const openBackgroundRig = (
  steps: readonly Step[],
  { backgroundSubtasks = "wait", ...options }: Partial<RigOptions> = {},
): Promise<Rig> =>
  openSubtaskRig(scriptByMode(COMPLETES_AGAIN, ...steps), {
    completion: "tool",
    backgroundSubtasks,
    ...options,
  });

/** The texts of each request, with the texts of results. */
export const sentTexts = (rig: Rig): readonly (readonly string[])[] =>
  rig.sent().map((messages) =>
    messages.flatMap(({ content }) =>
      content.flatMap((block): readonly string[] => {
        if (block.type === "text") return [block.text];
        if (block.type !== "tool_result") return [];
        return block.content.flatMap((each) => (each.type === "text" ? [each.text] : []));
      }),
    ),
  );

/** How often the conversation of the last request that has this text has it. */
export function timesSent(rig: Rig, text: string, part: "whole" | "some" = "whole"): number {
  const has = (each: string) => (part === "whole" ? each === text : each.includes(text));
  return Math.max(...sentTexts(rig).map((texts) => texts.filter(has).length));
}
