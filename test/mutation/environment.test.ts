import { expect, it } from "vitest";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { crashesAt, eventsAt } from "../../verify/environment.ts";
import { type CaseOptions, createCase, explore } from "../../verify/index.ts";
import { countsOf, digest, wrapLines } from "../support/summary.ts";

const any = { turns: "any", queued: "any", interruptions: "any", crashes: "any" } as const;

const CASES: readonly (readonly [string, CaseOptions])[] = [
  ["a writing tool with snapshots", { tools: ["write"], checkpoints: true, crashes: 1 }],
  ["two reading tools, thinking and text", { tools: ["read"], calls: 2, thinks: true, interruptions: 1 }],
  ["a command", { ...any, tools: ["command"] }],
  ["a question and a completion", { ...any, tools: ["question", "complete"] }],
  ["a subtask", { ...any, tools: ["delegate"] }],
];

/** The possible events of each machine state and its call phases, at the first visit. */
function formatEnvironment(options: CaseOptions): readonly string[] {
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
      const position = `${view.state} [${view.context.turn.calls.map(({ phase }) => phase).join(", ")}]`;
      if (seen.has(position)) return;
      const possible = [...eventsAt(view, spent, bounds), ...crashesAt(view, spent, bounds)];
      const counts = [...countsOf(possible)].map(([type, count]) =>
        count === 1 ? type : `${type} ${count}`,
      );
      seen.set(position, `${counts.join(", ")}; ${digest(possible, 8)}`);
    },
  });
  return [
    `${found.states} states, ${found.steps} steps, ${found.recoveries} recoveries`,
    ...[...seen].map(([position, possible]) => `${position}: ${possible}`),
  ];
}

// A missing or an added event changes the text: read the change.
it("the environment of a task has the committed events", async () => {
  const text = CASES.map(([name, options]) => `${name}\n\n${formatEnvironment(options).join("\n")}\n`).join(
    "\n",
  );
  await expect(wrapLines(text)).toMatchFileSnapshot("environment.txt");
});
