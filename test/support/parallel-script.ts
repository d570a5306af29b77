import { completes, scriptByMode } from "./subtasks.ts";

const start = (mode: string): string =>
  `{ tool: new_task, input: { mode: ${mode}, message: Work in ${mode}. } }`;
const write = (mode: string): string =>
  `{ tool: write_to_file, input: { path: ${mode}.txt, content: "${mode}\\n" } }`;

/** A script for a task whose subtasks work at the same time. Each, in a mode of its own, calls a tool and completes. */
export const parallelScript = (
  modes: readonly string[],
  { tool, call }: { readonly tool: string; readonly call: (mode: string) => string },
): string =>
  scriptByMode(
    { mode: "code", after: "new_task", turn: completes("All done.") },
    { mode: "code", turn: `[${modes.map(start).join(", ")}]` },
    ...modes.flatMap((mode) => [
      { mode, after: tool, turn: completes(`Done in ${mode}.`) },
      { mode, turn: `[{ text: I am ${mode}. }, ${call(mode)}]` },
    ]),
  );

/** A script whose subtasks each write a file with the name of their mode. */
export const writingSubtasks = (...modes: readonly string[]): string =>
  parallelScript(modes, { tool: "write_to_file", call: write });
