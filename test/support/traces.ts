import { createHash } from "node:crypto";
import { taskMachine } from "../../machines/task/index.ts";
import { transitionTable } from "../../trace/index.ts";
import { ALL_LAWS, explore, exploreRaces, formatRaces, formatTrace, RACE_CASE } from "../../verify/index.ts";
import { mermaid } from "../../visualize/index.ts";
import { noticesText } from "./notices.ts";
import { formatRemaining, initialFacts } from "./remaining.ts";
import { Scenario } from "./scenario.ts";
import { type NamedScenario, SCENARIOS, TOPICS } from "./scenarios/index.ts";

/** One file under test/traces, and what stands in it. */
export interface Trace {
  readonly file: string;
  readonly text: () => string;
}

const MAX_WIDTH = 160;

/** The same text with long lines wrapped; what continues a line is indented below it. */
function wrapped(text: string): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const lines: string[] = [];
      const indent = `${/^ */.exec(line)?.[0] ?? ""}      `;
      let rest = line;
      while (rest.length > MAX_WIDTH) {
        const end = rest.slice(0, MAX_WIDTH).search(/[ ,](?=[^ ,]*$)/);
        const cut = end > MAX_WIDTH / 2 ? end + 1 : MAX_WIDTH;
        lines.push(rest.slice(0, cut));
        rest = indent + rest.slice(cut);
      }
      return [...lines, rest];
    })
    .join("\n");
}

/** The macrosteps with which most scenarios begin: a task starts and its first response begins. */
const preamble = (): string => new Scenario().begun().run.trace;
const ELIDED = "(as at the top)";

/** A scenario in its topic's file: its sentence, its macrosteps, and the messages of its log. */
function scenarioText([name, title, create]: NamedScenario, start: string): string {
  const { run, messages } = create();
  const trace = run.trace.startsWith(`${start}\n`) ? ELIDED + run.trace.slice(start.length) : run.trace;
  return `## ${name}: ${title}\n\n${trace}\n\nmessages: ${messages.join(", ")}\n`;
}

/** The file of a topic: the shared first macrosteps, then each of its scenarios. */
export function topicText(topic: string): string {
  const start = preamble();
  const scenarios = (TOPICS[topic] ?? []).map((scenario) => scenarioText(scenario, start));
  return wrapped(`# ${topic}\n\n${ELIDED} stands for:\n\n${start}\n\n${scenarios.join("\n\n")}`);
}

/** Everything that each scenario leaves: the facts that its journal remembers, and the running actors. */
export function fullRemainingText(): string {
  const initial = initialFacts();
  return `${SCENARIOS.map(([name, , create]) => formatRemaining(name, create(), initial)).join("\n\n")}\n`;
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** For each scenario its state, the facts that it changed and its running actors; the digest is of all their values. */
export function remainingText(): string {
  const full = fullRemainingText();
  const lines = full
    .trimEnd()
    .split("\n\n")
    .map((part) => {
      const [head = "", ...facts] = part.split("\n");
      const named = facts.map(
        (fact) => /^ {2}running: (\S+)/.exec(fact)?.[1] ?? /^ {2}(\S+)/.exec(fact)?.[1],
      );
      return `${head}: ${[...new Set(named)].join(", ") || "nothing"}`;
    });
  const command = "npm run traces -- --full remaining";
  return wrapped(`${lines.join("\n")}\n\nsha256 of \`${command}\`: ${digestOf(full)}\n`);
}

export const fullRacesText = (): string =>
  formatRaces(exploreRaces({ machine: taskMachine, laws: ALL_LAWS, ...RACE_CASE }));

/** The race matrix in a few lines: how many pairs of events have each outcome; the digest is of the whole matrix. */
export function racesText(full: string): string {
  const [summary = "", ...rest] = full.split("\n");
  const counts = new Map<string, { pairs: number; meetings: number }>();
  let section = "";
  for (const line of rest) {
    const [, pair, times] = /^\S.*? \| .*?(?:: (.*?))? \((\d+)\)/.exec(line) ?? [];
    if (times === undefined) {
      if (/^[A-Z]/.test(line)) section = line.replace(/:$/, "");
      continue;
    }
    const key = pair === undefined ? section : `${section}: ${pair}`;
    const count = counts.get(key) ?? { pairs: 0, meetings: 0 };
    counts.set(key, { pairs: count.pairs + 1, meetings: count.meetings + Number(times) });
  }
  const lines = [...counts].map(([key, { pairs, meetings }]) => `${key}: ${pairs} pairs, ${meetings} states`);
  const digest = `sha256 of \`npm run traces -- --full races\`: ${digestOf(full)}`;
  return wrapped(`${summary}\n\n${lines.sort().join("\n")}\n\n${digest}\n`);
}

/** A shortest way to a state that lies: the ask about a failed request is never posted. */
export function counterexample() {
  const machine = taskMachine.provide({ actions: { askAboutFailure: () => {} } });
  const bounds = { turns: 1, calls: 1, blocks: 1, queued: 0, interruptions: 0 };
  const [violation] = explore({ machine, laws: ALL_LAWS, bounds }).violations;
  if (violation === undefined) throw new Error("no law noticed that the ask is missing");
  return { violation, text: `${formatTrace(violation, machine)}\n` };
}

/** Every file under test/traces, those that take longest last. */
export const TRACES: readonly Trace[] = [
  ...Object.keys(TOPICS).map((topic) => ({ file: `${topic}.txt`, text: () => topicText(topic) })),
  { file: "remaining.txt", text: remainingText },
  { file: "notices.txt", text: noticesText },
  { file: "task.transitions.txt", text: () => transitionTable(taskMachine) },
  { file: "task.mermaid.txt", text: () => mermaid(taskMachine) },
  { file: "task.full.mermaid.txt", text: () => mermaid(taskMachine, { full: true }) },
  { file: "counterexample.txt", text: () => counterexample().text },
  { file: "races.txt", text: () => racesText(fullRacesText()) },
];
