import type { ClineMessage } from "../machines/message/index.ts";
import type { TaskEmitted, TaskInput, taskMachine } from "../machines/task/index.ts";
import type { Violation } from "./exploration.ts";
import type { PathEvent } from "./graph.ts";
import { replay } from "./replay.ts";
import { formatCrash } from "./trace.ts";

type Machine = typeof taskMachine;

/** Who sends events that begin so; the rest come from the actor that the first word names. */
const SENDERS: readonly (readonly [prefix: string, sender: string])[] = [
  ["task.opened", "opening"],
  ["task.", "user"],
  ["ask.expired", "policy"],
  ["ask.", "user"],
  ["queue.", "user"],
  ["mode.", "user"],
  ["call.reviewed", "review"],
];

/** A violation as a mermaid sequence diagram: who sent what, what the task started, stopped and wrote. */
export function formatSequence(violation: Violation, machine: Machine, input?: Partial<TaskInput>): string {
  const lines = ["sequenceDiagram", "  participant task"];
  for (const step of replay(violation.path, machine, input)) {
    lines.push(...eventLines(step.pathEvent));
    if ("error" in step) {
      lines.push(note(`! ${String(step.error)}`));
      continue;
    }
    lines.push(...step.emitted.flatMap(commitLines), note(`= ${step.after.state}`));
  }
  lines.push(note(`${violation.law}: ${violation.what}`));
  return `${lines.join("\n")}\n`;
}

function eventLines(pathEvent: PathEvent): readonly string[] {
  if (pathEvent.type === "process.crashed") return formatCrash(pathEvent).split("\n").map(note);
  const { type, at: _at, ...facts } = pathEvent;
  const [sender] = SENDERS.filter(([prefix]) => type.startsWith(prefix)).map(([, name]) => name);
  const told = Object.keys(facts).length === 0 ? type : `${type} ${JSON.stringify(facts)}`;
  return [`  ${sender ?? type.split(".")[0]}->>task: ${inMermaid(told)}`];
}

function commitLines(piece: TaskEmitted): readonly string[] {
  switch (piece.type) {
    case "effect.started":
      return [`  task->>${piece.effect}: start ${inMermaid(piece.id)}`];
    case "effect.stopped":
      return [`  task--x${piece.effect}: stop ${inMermaid(piece.id)}`];
    case "message.appended":
      return [note(`+ ${formatMessage(piece.message)}`)];
    case "message.amended":
      return [note(`~ ${piece.ts} ${JSON.stringify(piece.patch)}`)];
    default:
      return [];
  }
}

const formatMessage = ({ ts, type, ask, say, text }: ClineMessage): string =>
  `${ts} ${type}:${ask ?? say} ${JSON.stringify(text ?? "")}`;

const note = (text: string): string => `  Note over task: ${inMermaid(text.trim())}`;

/** `#`, `;` and brackets mean something to mermaid, and a line ends a statement. */
const inMermaid = (text: string): string =>
  text
    .replaceAll("#", "#35;")
    .replaceAll(/(?<!#35);/g, "#59;")
    .replaceAll(/\s+/g, " ");
