import { getInitialMicrosteps, getMicrosteps, initialTransition } from "xstate";
import type { ClineMessage } from "../machines/message/index.ts";
import type { Past, TaskEmitted, TaskEvent, TaskInput, taskMachine } from "../machines/task/index.ts";
import { type Crash, pastOf } from "./crash.ts";
import type { Violation } from "./explore.ts";
import type { Happening } from "./graph.ts";
import { emittedBy, type Microstep } from "./microsteps.ts";
import { pathOf } from "./path-of.ts";
import { firstView, viewAfter, viewOfPast } from "./view.ts";

type Machine = typeof taskMachine;

/** The event's own facts: its type says what happened, these say with what. */
function eventLine(event: TaskEvent): string {
  const { type, at: _at, ...facts } = event;
  return facts === undefined || Object.keys(facts).length === 0 ? type : `${type} ${JSON.stringify(facts)}`;
}

function rowLine({ ts, type, ask, say, text, ...rest }: ClineMessage): string {
  const marks = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  return `+ ${ts} ${type}:${ask ?? say} ${JSON.stringify(text ?? "")}${marks.join("")}`;
}

/** One piece of a commit as a line; undefined for those that only repeat others. */
function pieceLine(piece: TaskEmitted): string | undefined {
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
export function traceStep(event: TaskEvent, emitted: readonly TaskEmitted[], state: string): string {
  const pieces = emitted.map(pieceLine).filter((line) => line !== undefined);
  return [eventLine(event), ...pieces.map((line) => `    ${line}`), `  = ${state}`].join("\n");
}

/** The end of a process as text: what the task is opened again with. */
export function traceCrash({ keepsGrowth, ends, childEnds }: Crash): string {
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
export function traceOf(violation: Violation, machine: Machine, input?: Partial<TaskInput>): string {
  const lines = [`${violation.law}: ${violation.what}`];
  const given = { taskId: "explored", ...input };
  const [fresh] = initialTransition(machine, given);
  let snapshot = fresh;
  let view = firstView({ state: pathOf(fresh.value), context: fresh.context });
  for (const happening of violation.path) {
    try {
      const { past, event, microsteps } = play(happening);
      if (past !== undefined) view = viewOfPast(view, past, fresh.context);
      snapshot = microsteps.at(-1)?.[0] ?? snapshot;
      const emitted = emittedBy(microsteps.flatMap(([, actions]) => actions));
      view = viewAfter(view, emitted, { state: pathOf(snapshot.value), context: snapshot.context });
      if (happening.type === "process.crashed") lines.push(traceCrash(happening));
      lines.push(traceStep(event, emitted, view.state));
    } catch (error) {
      lines.push(happening.type === "process.crashed" ? traceCrash(happening) : eventLine(happening));
      lines.push(`  ! ${String(error)}`);
    }
  }
  return lines.join("\n");

  function play(happening: Happening): {
    readonly past?: Past;
    readonly event: TaskEvent;
    readonly microsteps: readonly Microstep[];
  } {
    if (happening.type !== "process.crashed")
      return { event: happening, microsteps: getMicrosteps(machine, snapshot, happening) };
    const past = pastOf(view, happening);
    return {
      past,
      event: { type: "task.recovered", at: past.openedAt },
      microsteps: getInitialMicrosteps(machine, { ...given, past }),
    };
  }
}
