import type { ClineMessage } from "../machines/message/message.ts";
import type { TaskInput } from "../machines/task/task.context.ts";
import type { TaskEmitted } from "../machines/task/task.events.ts";
import type { taskMachine } from "../machines/task/task.machine.ts";
import type { Violation } from "./exploration.ts";
import type { PathEvent } from "./graph.ts";
import { replay } from "./replay.ts";
import { formatCrash } from "./trace.ts";

type Machine = typeof taskMachine;

/** Senders by event prefix. Other events come from the actor named by their first part. */
const SENDERS: readonly (readonly [prefix: string, sender: string])[] = [
  ["task.opened", "opening"],
  ["task.", "user"],
  ["ask.expired", "policy"],
  ["ask.", "user"],
  ["queue.", "user"],
  ["mode.", "user"],
  ["call.reviewed", "review"],
];

/** Format a violation as a mermaid sequence diagram: events, actors started and stopped, messages. */
export function formatSequence(violation: Violation, machine: Machine, input?: Partial<TaskInput>): string {
  const lines = ["sequenceDiagram", "  participant task"];
  for (const step of replay(violation.path, machine, input)) {
    lines.push(...eventLines(step.pathEvent));
    if ("error" in step) {
      lines.push(note(`! ${String(step.error)}`));
      continue;
    }
    lines.push(...step.emitted.flatMap(emittedLines), note(`= ${step.after.state}`));
  }
  lines.push(note(`${violation.law}: ${violation.what}`));
  return `${lines.join("\n")}\n`;
}

function eventLines(pathEvent: PathEvent): readonly string[] {
  if (pathEvent.type === "process.crashed") return formatCrash(pathEvent).split("\n").map(note);
  const { type, at: _at, ...fields } = pathEvent;
  const [sender] = SENDERS.filter(([prefix]) => type.startsWith(prefix)).map(([, name]) => name);
  const label = Object.keys(fields).length === 0 ? type : `${type} ${JSON.stringify(fields)}`;
  return [`  ${sender ?? type.split(".")[0]}->>task: ${escapeMermaid(label)}`];
}

function emittedLines(event: TaskEmitted): readonly string[] {
  switch (event.type) {
    case "effect.started":
      return [`  task->>${event.effect}: start ${escapeMermaid(event.id)}`];
    case "effect.stopped":
      return [`  task--x${event.effect}: stop ${escapeMermaid(event.id)}`];
    case "message.appended":
      return [note(`+ ${formatMessage(event.message)}`)];
    case "message.amended":
      return [note(`~ ${event.ts} ${JSON.stringify(event.patch)}`)];
    default:
      return [];
  }
}

const formatMessage = ({ ts, type, ask, say, text }: ClineMessage): string =>
  `${ts} ${type}:${ask ?? say} ${JSON.stringify(text ?? "")}`;

const note = (text: string): string => `  Note over task: ${escapeMermaid(text.trim())}`;

/** Escape `#` and `;`; join lines, since a line break ends a statement. */
const escapeMermaid = (text: string): string =>
  text
    .replaceAll("#", "#35;")
    .replaceAll(/(?<!#35);/g, "#59;")
    .replaceAll(/\s+/g, " ");
