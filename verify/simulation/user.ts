import type { TaskContext } from "../../machines/task/task.context.ts";
import type { View } from "../laws/law.ts";
import type { Untimed } from "./actors.ts";
import type { Random } from "./random.ts";

/** A random event of the user that no ask requested. */
export function unsolicitedEvent(random: Random, context: TaskContext, step: number): Untimed {
  const queued = context.queue[0]?.id ?? "nobody";
  const last = context.log.at(-1)?.ts ?? 0;
  const yes = { kind: "yes" } as const;
  const all: readonly Untimed[] = [
    { type: "queue.added", item: { id: `q${step}`, text: "Also the docs.", images: [] } },
    { type: "queue.added", item: { id: `q${step}`, text: "And quickly.", images: [] } },
    { type: "queue.edited", id: queued, text: "Not the docs." },
    { type: "queue.removed", id: queued },
    { type: "mode.switched", mode: context.mode === "code" ? "ask" : "code" },
    { type: "ask.answered", askId: last - 1, answer: yes },
    { type: "task.start", text: "Another task", images: [] },
  ];
  return random.pick(all) ?? { type: "queue.removed", id: queued };
}

/**
 * The action of the user when no event is scheduled: abort a hanging command, cancel a working task, resume a task at rest, or
 * leave. Returns `stuck` if no event of the user is accepted.
 */
export function idleEvent(random: Random, { state, context }: View): Untimed | "leaves" | "stuck" {
  const { ask } = context;
  if (state === "no_task") return "leaves";
  if (ask?.ask === "command_output") return { type: "ask.answered", askId: ask.id, answer: { kind: "no" } };
  if (state.startsWith("running") || state.startsWith("streaming"))
    return { type: "task.cancel", origin: "user" };
  if (ask === undefined) return "stuck";
  if (state.startsWith("idle") && random.chance(0.7)) return "leaves";
  const acceptsText =
    ask.ask === "followup" || ask.ask === "completion_result" || ask.ask === "resume_completed_task";
  const answer = acceptsText ? ({ kind: "text", text: "Go on." } as const) : ({ kind: "yes" } as const);
  return { type: "ask.answered", askId: ask.id, answer };
}
