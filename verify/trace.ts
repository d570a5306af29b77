import type { ClineMessage } from "../machines/message/index.ts";
import type { TaskEmitted, TaskEvent, TaskInput, taskMachine } from "../machines/task/index.ts";
import type { Crash } from "./crash.ts";
import type { Violation } from "./exploration.ts";
import { replay } from "./replay.ts";

type Machine = typeof taskMachine;

/** The event's own facts: its type says what happened, these say with what. */
function eventLine(event: TaskEvent): string {
  const { type, at: _at, ...facts } = event;
  return Object.keys(facts).length === 0 ? type : `${type} ${JSON.stringify(facts)}`;
}

function rowLine({ ts, type, ask, say, text, ...rest }: ClineMessage): string {
  const marks = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `+ ${ts} ${type}:${ask ?? say} ${JSON.stringify(text ?? "")}${marks.join("")}`;
}

/** One piece of a commit as a line; undefined for those that only repeat others. */
function commitLine(piece: TaskEmitted): string | undefined {
  switch (piece.type) {
    case "message.appended":
      return rowLine(piece.message);
    case "message.grown":
      return `~ ${piece.ts} grew ${JSON.stringify(piece.text)}`;
    case "message.amended":
      return `~ ${piece.ts} ${JSON.stringify(piece.patch)}`;
    case "decision.made":
      return `decided ${piece.decision.callId} by ${"rule" in piece.decision.by ? piece.decision.by.rule : "a person"}`;
    case "effect.started":
      return `start ${piece.effect} ${piece.id}`;
    case "effect.stopped":
      return `stop ${piece.effect} ${piece.id}`;
    case "queue.changed":
      return `queue: ${piece.queue.map(({ id }) => id).join(" ") || "empty"}`;
    case "entry.appended":
      return `> ${piece.entry.role}: ${JSON.stringify(piece.entry.content)}`;
    case "entry.extended":
      return `> more: ${JSON.stringify(piece.content)}`;
    case "task.rested":
      return `rests on ${piece.ask}`;
    case "task.completed":
      return `completed: ${piece.result}`;
    default:
      return undefined;
  }
}

/** One macrostep as text: the event, what it brought about, and the state it led to. */
export function formatStep(event: TaskEvent, emitted: readonly TaskEmitted[], state: string): string {
  const pieces = emitted.map(commitLine).filter((line) => line !== undefined);
  return [eventLine(event), ...pieces.map((line) => `    ${line}`), `  = ${state}`].join("\n");
}

/** The end of a process as text: what the task is opened again with. */
export function formatCrash({ keepsGrowth, ends, childEnds }: Crash): string {
  const lines = [
    ...(keepsGrowth ? ["what streamed is remembered"] : []),
    ...ends.map(({ callId, content }) => `recorded end of ${callId}: ${JSON.stringify(content)}`),
    ...childEnds.map(([callId, end]) => `the subtask of ${callId} has ended: ${JSON.stringify(end)}`),
  ];
  return [
    "-- the process ends here, and the task is opened again",
    ...lines.map((line) => `   ${line}`),
  ].join("\n");
}

/** A violation as text that a person can follow: what is wrong, and each macrostep that leads to it. */
export function formatTrace(violation: Violation, machine: Machine, input?: Partial<TaskInput>): string {
  const lines = [`${violation.law}: ${violation.what}`];
  for (const step of replay(violation.path, machine, input)) {
    const { pathEvent } = step;
    if (pathEvent.type === "process.crashed") lines.push(formatCrash(pathEvent));
    if ("emitted" in step) lines.push(formatStep(step.event, step.emitted, step.after.state));
    else if (pathEvent.type !== "process.crashed") lines.push(eventLine(pathEvent));
    if ("error" in step) lines.push(`  ! ${String(step.error)}`);
  }
  return lines.join("\n");
}
