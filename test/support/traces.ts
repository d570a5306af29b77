import { createHash } from "node:crypto";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { callMachine } from "../../machines/tool-call/call.machine.ts";
import { RACE_CASE } from "../../verify/cases.ts";
import { ALL_LAWS, explore, exploreRaces, formatTrace } from "../../verify/index.ts";
import { formatRaces } from "../../verify/race-text.ts";
import { mermaid } from "../../visualize/index.ts";
import { transitionTable } from "../../visualize/trace/index.ts";
import { noticesText } from "./notices.ts";
import { formatRemaining, initialFacts } from "./remaining.ts";
import { SCENARIOS, TOPICS } from "./scenarios/index.ts";
import { shortStep } from "./short-trace.ts";
import { wrapLines } from "./summary.ts";

/** One file under test/traces and its text. */
export interface Trace {
  readonly file: string;
  readonly text: () => string;
}

interface Shown {
  readonly name: string;
  readonly macrosteps: readonly string[];
}

const commonLength = (one: readonly string[], other: readonly string[]): number => {
  const end = one.findIndex((macrostep, at) => macrostep !== other[at]);
  return end < 0 ? one.length : end;
};

/** Format a scenario: its title, and its macrosteps without the first ones that it shares with an earlier scenario. */
function scenarioText({ name, macrosteps }: Shown, title: string, earlier: readonly Shown[]): string {
  const lengths = earlier.map((shown) => commonLength(macrosteps, shown.macrosteps));
  const shared = Math.max(0, ...lengths);
  const as = shared === 0 ? "" : ` (after the first ${shared} of ${earlier[lengths.indexOf(shared)]?.name})`;
  return [`## ${name}: ${title}${as}`, ...macrosteps.slice(shared)].join("\n");
}

/** Format the file of a topic: each of its scenarios. */
export function topicText(topic: string): string {
  const earlier: Shown[] = [];
  const scenarios = (TOPICS[topic] ?? []).map(([name, title, create]) => {
    const shown = { name, macrosteps: create().run.steps.map(shortStep) };
    const text = scenarioText(shown, title, earlier);
    earlier.push(shown);
    return text;
  });
  return wrapLines(`# ${topic}\n\n${scenarios.join("\n")}\n`);
}

/** Format the state after each scenario: changed facts and running actors, with their values. */
export function fullRemainingText(): string {
  const initial = initialFacts();
  return `${SCENARIOS.map(([name, , create]) => formatRemaining(name, create(), initial)).join("\n\n")}\n`;
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Format which facts have changed and which actors run after each scenario, with its state. The digest is of the full text. */
export function remainingText(): string {
  const full = fullRemainingText();
  const scenarios = new Map<string, string[]>();
  for (const part of full.trimEnd().split("\n\n")) {
    const [head = "", ...facts] = part.split("\n");
    const [name = "", state = ""] = head.split(" = ");
    const named = facts.map((fact) => /^ {2}(?:running: )?(\S+)/.exec(fact)?.[1]);
    const remaining = `${state}: ${[...new Set(named)].join(", ") || "nothing"}`;
    scenarios.set(remaining, [...(scenarios.get(remaining) ?? []), name]);
  }
  const lines = [...scenarios].sort().map(([remaining, names]) => `${remaining} (${names.join(", ")})`);
  const command = "npm run traces -- --full remaining";
  return wrapLines(`${lines.join("\n")}\n\nsha256 of \`${command}\`: ${digestOf(full)}\n`);
}

export const fullRacesText = (): string =>
  formatRaces(exploreRaces({ machine: taskMachine, laws: ALL_LAWS, ...RACE_CASE }));

/** Summarize the race matrix: the number of event pairs by outcome. The digest is of the full matrix. */
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
  return wrapLines(`${summary}\n\n${lines.sort().join("\n")}\n\n${digest}\n`);
}

/** A shortest counterexample: the ask after a failed request is never posted. */
export function counterexample() {
  const machine = taskMachine.provide({ actions: { askAboutFailure: () => {} } });
  const bounds = { turns: 1, calls: 1, blocks: 1, queued: 0, interruptions: 0 };
  const [violation] = explore({ machine, laws: ALL_LAWS, bounds }).violations;
  if (violation === undefined)
    throw new Error("Expected a violation: the ask after a failed request is missing");
  return { violation, text: wrapLines(`${formatTrace(violation, machine)}\n`) };
}

/** Every file under test/traces, the slowest last. */
export const TRACES: readonly Trace[] = [
  ...Object.keys(TOPICS).map((topic) => ({ file: `${topic}.txt`, text: () => topicText(topic) })),
  { file: "remaining.txt", text: remainingText },
  { file: "notices.txt", text: noticesText },
  { file: "task.transitions.txt", text: () => wrapLines(transitionTable(taskMachine)) },
  { file: "call.transitions.txt", text: () => wrapLines(transitionTable(callMachine)) },
  { file: "call.mermaid.txt", text: () => mermaid(callMachine) },
  { file: "task.mermaid.txt", text: () => mermaid(taskMachine) },
  { file: "counterexample.txt", text: () => counterexample().text },
  { file: "races.txt", text: () => racesText(fullRacesText()) },
];
