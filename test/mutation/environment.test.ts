import { expect, it } from "vitest";
import { taskMachine } from "../../machines/task/index.ts";
import { crashesAt, eventsAt } from "../../verify/environment.ts";
import { type CaseOptions, createCase, explore } from "../../verify/index.ts";
import { countsOf, digest } from "../support/summary.ts";

const any = { turns: "any", queued: "any", interruptions: "any", crashes: "any" } as const;

/** What each tool brings, and what a process leaves when it ends. */
const CASES: readonly (readonly [string, CaseOptions])[] = [
  ["a tool that writes, with snapshots", { tools: ["write"], checkpoints: true, crashes: 1 }],
  ["two that look, thoughts and words", { tools: ["read"], calls: 2, thinks: true, interruptions: 1 }],
  ["a command", { ...any, tools: ["command"] }],
  ["a question, and a completion", { ...any, tools: ["question", "complete"] }],
  ["a subtask", { ...any, tools: ["delegate"] }],
];

/** Where the machine is and what its calls do: what may happen there, the first time that the walk comes by. */
function surroundingsOf(options: CaseOptions): readonly string[] {
  const { bounds, input } = createCase(options);
  const seen = new Map<string, string>();
  const found = explore({
    machine: taskMachine,
    laws: [],
    progress: false,
    bounds,
    input,
    maxStates: 500,
    onState: ({ view, spent }) => {
      const where = `${view.state} [${view.context.turn.calls.map(({ phase }) => phase).join(", ")}]`;
      if (seen.has(where)) return;
      const may = [...eventsAt(view, spent, bounds), ...crashesAt(view, spent, bounds)];
      const counts = [...countsOf(may)].map(([type, count]) => (count === 1 ? type : `${type} ${count}`));
      seen.set(where, `${counts.join(", ")}; ${digest(may, 8)}`);
    },
  });
  return [
    `${found.states} states, ${found.steps} steps, ${found.recoveries} recoveries`,
    ...[...seen].map(([where, may]) => `${where}: ${may}`),
  ];
}

// What may happen is written down: an event less, or more, is seen, and a person reads the change.
it("the surroundings of a task do what is written down", async () => {
  const text = CASES.map(([name, options]) => `${name}\n\n${surroundingsOf(options).join("\n")}\n`).join(
    "\n",
  );
  await expect(text).toMatchFileSnapshot("environment.txt");
});
