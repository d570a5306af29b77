import { expect, test } from "vitest";
import { type Step as NextStep, nextStep } from "../../../machines/task/schedule.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { type CaseOptions, createCase, explore, type Law } from "../../../verify/index.ts";

/** What the turn may do next in each state in which a call, or the end of the calls, is awaited. */
const NEXT: Readonly<Record<string, readonly NextStep["kind"][]>> = {
  "running.calling": ["wait", "pass"],
  "running.hooking": ["wait"],
  "running.commanding": ["command"],
  "running.checkpointing": ["checkpoint", "review"],
  "running.delegated": ["subtask"],
  "streaming.finishing": ["wait"],
  "waiting_for_input.approval": ["wait"],
  "waiting_for_input.answer": ["wait"],
  "waiting_for_input.elicitation": ["wait"],
};

/** A law, and the kinds that it has seen in each state. */
function scheduleLaw(): { readonly law: Law; readonly seen: ReadonlyMap<string, ReadonlySet<string>> } {
  const seen = new Map<string, Set<string>>();
  const violation: Law["violation"] = ({ after: { state, context } }) => {
    const allowed = NEXT[state];
    if (allowed === undefined) return undefined;
    const { kind } = nextStep(context);
    seen.set(state, (seen.get(state) ?? new Set()).add(kind));
    return allowed.includes(kind) ? undefined : `${state} has the next step ${kind}`;
  };
  return { law: { id: "NEXT", title: "a state waits for what the schedule names", violation }, seen };
}

const CASES: readonly (CaseOptions & { readonly name: string })[] = [
  {
    name: "commands, questions and completions",
    tools: ["read", "command", "question", "complete"],
    calls: 2,
  },
  {
    name: "subtasks and snapshots, while what is permitted changes",
    tools: ["write", "delegate"],
    calls: 1,
    permits: true,
    checkpoints: true,
  },
  {
    name: "hooks, and calls that ask for input",
    tools: ["mcp", "write"],
    calls: 1,
    hooks: true,
    elicits: true,
  },
];

test("each state of a turn waits for exactly what the schedule says is next", () => {
  const { law, seen } = scheduleLaw();
  for (const { name, ...options } of CASES) {
    const hooks = options.hooks === true ? { hooks: ["beforeTool", "afterTool"] as const } : {};
    const explored = createCase({ turns: 1, interruptions: 0, ...options }, name);
    const { violations } = explore({
      machine: taskMachine,
      laws: [law],
      ...explored,
      input: { ...explored.input, ...hooks },
    });
    expect(violations).toEqual([]);
  }
  expect([...seen.keys()].sort()).toEqual(Object.keys(NEXT).sort());
});
