import { taskMachine } from "../../machines/task/index.ts";
import { transitionTable } from "../../trace/index.ts";
import { ALL_LAWS, explore, RACE_CASE, racesOf, raceText, traceOf } from "../../verify/index.ts";
import { mermaid } from "../../visualize/index.ts";
import { freshFacts, leftOf } from "./left.ts";
import { noticesText } from "./notices.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import type { Story } from "./story.ts";

/** One file under test/traces, and what stands in it. */
export interface Trace {
  readonly file: string;
  readonly text: () => string;
}

/** A scenario as its file has it: its sentence, its macrosteps, and the rows that it left. */
export const scenarioText = (title: string, { run, rows }: Story): string =>
  `# ${title}\n\n${run.trace}\n\nrows: ${rows.join(", ")}\n`;

/** What each scenario leaves: the facts that its journal remembers, and the actors that are at work. */
export function leftText(): string {
  const fresh = freshFacts();
  return `${SCENARIOS.map(([name, , tell]) => leftOf(name, tell(), fresh)).join("\n\n")}\n`;
}

/** A shortest way to a state that lies: the ask about a failed request is never posted. */
export function counterexample() {
  const machine = taskMachine.provide({ actions: { askAboutFailure: () => {} } });
  const bounds = { turns: 1, calls: 1, blocks: 1, queued: 0, interruptions: 0 };
  const [violation] = explore({ machine, laws: ALL_LAWS, bounds }).violations;
  if (violation === undefined) throw new Error("no law noticed that the ask is missing");
  return { violation, text: `${traceOf(violation, machine)}\n` };
}

/** Every file under test/traces, those that take longest last. */
export const TRACES: readonly Trace[] = [
  ...SCENARIOS.map(([name, title, tell]) => ({
    file: `${name}.txt`,
    text: () => scenarioText(title, tell()),
  })),
  { file: "left.txt", text: leftText },
  { file: "notices.txt", text: noticesText },
  { file: "task.transitions.txt", text: () => transitionTable(taskMachine) },
  { file: "task.mermaid.txt", text: () => mermaid(taskMachine) },
  { file: "task.full.mermaid.txt", text: () => mermaid(taskMachine, { full: true }) },
  { file: "counterexample.txt", text: () => counterexample().text },
  {
    file: "races.txt",
    text: () => raceText(racesOf({ machine: taskMachine, laws: ALL_LAWS, ...RACE_CASE })),
  },
];
