import type { ClineMessage } from "../machines/message/message.ts";
import type { TaskInput } from "../machines/task/task.context.ts";
import type { TaskEmitted, TaskEvent } from "../machines/task/task.events.ts";
import type { taskMachine } from "../machines/task/task.machine.ts";
import type { Decision } from "../machines/tool-call/call.ts";
import type { ControlRecord } from "../machines/tool-call/control.ts";
import type { Crash } from "./crash.ts";
import type { Violation } from "./exploration.ts";
import { replay } from "./replay.ts";

type Machine = typeof taskMachine;

/** Format an event: its type and its fields. */
export function eventLine(event: TaskEvent): string {
  const { type, at: _at, ...fields } = event;
  return Object.keys(fields).length === 0 ? type : `${type} ${JSON.stringify(fields)}`;
}

function messageLine({ ts, type, ask, say, text, ...rest }: ClineMessage): string {
  const marks = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `+ ${ts} ${type}:${ask ?? say} ${JSON.stringify(text ?? "")}${marks.join("")}`;
}

function approverIn({ by }: Decision): string {
  if ("rule" in by) return by.rule;
  return by.program === true ? "a program" : "a person";
}

/** A verdict with the scores that led to it. */
const judgedLine = ({ point, author, verdict, audit, scores }: ControlRecord): string =>
  `judged ${point} of ${author}: ${verdict}${audit === undefined ? "" : `, ${audit}`} ${JSON.stringify(scores)}`;

/** One event of a commit as a line; undefined for those that only repeat others. */
export function emittedLine(event: TaskEmitted): string | undefined {
  switch (event.type) {
    case "message.appended":
      return messageLine(event.message);
    case "message.grown":
      return `~ ${event.ts} grew ${JSON.stringify(event.text)}`;
    case "message.amended":
      return `~ ${event.ts} ${JSON.stringify(event.patch)}`;
    case "decision.made":
      return `decided ${event.decision.callId} by ${approverIn(event.decision)}`;
    case "control.judged":
      return judgedLine(event.record);
    case "effect.started":
      return `start ${event.effect} ${event.id}`;
    case "effect.stopped":
      return `stop ${event.effect} ${event.id}`;
    case "queue.changed":
      return `queue: ${event.queue.map(({ id }) => id).join(" ") || "empty"}`;
    case "entry.appended":
      return `> ${event.entry.role}: ${JSON.stringify(event.entry.content)}`;
    case "entry.extended":
      return `> more: ${JSON.stringify(event.content)}`;
    case "entries.replaced":
      return `> instead of ${event.count} entries: ${JSON.stringify(event.by)}`;
    case "task.rested":
      return `rests on ${event.ask}`;
    case "task.completed":
      return `completed: ${event.result}`;
    default:
      return undefined;
  }
}

/** Format a macrostep: the event, the emitted events, and the state. */
export function formatStep(event: TaskEvent, emitted: readonly TaskEmitted[], state: string): string {
  const lines = emitted.map(emittedLine).filter((line) => line !== undefined);
  return [eventLine(event), ...lines.map((line) => `    ${line}`), `  = ${state}`].join("\n");
}

/** Format a crash with what the task is reopened with. */
export function formatCrash({ keepsGrowth, ends, childEnds }: Crash): string {
  const lines = [
    ...(keepsGrowth ? ["streamed text is recorded"] : []),
    ...ends.map(({ callId, content }) => `recorded result of ${callId}: ${JSON.stringify(content)}`),
    ...childEnds.map(([callId, end]) => `the subtask of ${callId} ended: ${JSON.stringify(end)}`),
  ];
  return ["-- the process crashes; the task is reopened", ...lines.map((line) => `   ${line}`)].join("\n");
}

/** Format a violation with each macrostep of its path. */
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
