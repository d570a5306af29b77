import type { AnyActorRef } from "xstate";
import { Change, type EffectStep } from "./change.ts";
import { factsIn } from "./facts.ts";
import { taskSetup } from "./task.setup.ts";
import type { ReportEvent, TaskContext, TaskEmitted, TaskEvent } from "./task.types.ts";

const NOTED: readonly TaskEmitted[] = [{ type: "event.noted" }];
const isReport = (piece: TaskEmitted): piece is ReportEvent =>
  piece.type === "task.rested" || piece.type === "task.completed";

/**
 * An action of the machine from a function that writes a {@link Change}. The only place where the context
 * is assigned, pieces of the commit are emitted, and actors are started and stopped.
 */
export const act = (write: (change: Change) => void) =>
  taskSetup.enqueueActions(({ context, event, enqueue }) => {
    const change = new Change(context, causeOf(event, context));
    write(change);
    const facts = factsIn(change.patch);
    if (facts !== undefined) change.emit({ type: "facts.changed", facts });
    enqueue.assign(() => change.patch);
    for (const effect of change.effects) enqueueEffect(enqueue, effect);
    for (const piece of change.emits.length > 0 ? change.emits : NOTED) {
      enqueue.emit(piece);
      if (context.reportTo !== undefined && isReport(piece)) enqueue.sendTo(context.reportTo, piece);
    }
  });

/** What XState starts a machine by carries no time: of a task that is opened again it stands for that (L15). */
function causeOf(event: TaskEvent, { reopening, cause }: TaskContext): TaskEvent {
  if ("at" in event) return event;
  return reopening === undefined ? (cause ?? event) : { type: "task.recovered", at: reopening.at };
}

type Enqueue = Parameters<Parameters<typeof taskSetup.enqueueActions>[0]>[0]["enqueue"];

function enqueueEffect(enqueue: Enqueue, effect: EffectStep): void {
  if (effect.step === "abort") enqueue.sendTo<AnyActorRef>(effect.id, { type: "tool.abort" });
  else if (effect.step === "stop") enqueue.stopChild(effect.id);
  else enqueueStart(enqueue, effect);
}

function enqueueStart(enqueue: Enqueue, effect: Extract<EffectStep, { step: "start" }>): void {
  const { id } = effect;
  switch (effect.kind) {
    case "opening":
      enqueue.spawnChild("opening", { id, input: effect.input });
      break;
    case "context":
      enqueue.spawnChild("context", { id, input: effect.input });
      break;
    case "llm":
      enqueue.spawnChild("llm", { id, input: effect.input });
      break;
    case "review":
      enqueue.spawnChild("review", { id, input: effect.input });
      break;
    case "tool":
      enqueue.spawnChild("tool", { id, input: effect.input });
      break;
    case "ask":
      enqueue.spawnChild("ask", { id, input: effect.input });
      break;
    case "timer":
      enqueue.spawnChild("timer", { id, input: effect.input });
      break;
    case "checkpoint":
      enqueue.spawnChild("checkpoint", { id, input: effect.input });
      break;
    case "subtask":
      enqueue.spawnChild("subtask", { id, input: effect.input });
      break;
  }
}
