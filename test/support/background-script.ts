import type { RigOptions } from "./host.ts";
import { completes, openSubtaskRig, type Step, scriptByMode } from "./subtasks.ts";

/** A call of new_task whose subtask works in the background. */
export const inBackground = (mode: string, more = ""): string =>
  `{ tool: new_task, input: { mode: ${mode}, message: Work in ${mode}., background: true${more} } }`;

/** The turns of a subtask that asks a question, then completes. */
export const asking = (mode: string): readonly Step[] => [
  { mode, after: "ask_followup_question", turn: completes(`Done in ${mode}.`) },
  {
    mode,
    turn: "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }",
  },
];

export const call = (tool: string, input = ""): string => `{ tool: ${tool}, input: { ${input} } }`;

/** Open a rig whose subtasks may work in the background. */
export const openBackgroundRig = (steps: readonly Step[], options: Partial<RigOptions> = {}) =>
  openSubtaskRig(scriptByMode(...steps), { backgroundSubtasks: "wait", completion: "tool", ...options });
