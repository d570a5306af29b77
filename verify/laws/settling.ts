import { firstViolation, type Law, type Step, topState, type View } from "./law.ts";

const AT_REST = new Set(["no_task", "idle", "resumable"]);

const isBackground = ({ context }: View, id: string): boolean =>
  context.background.some(({ callId }) => id === `tool:${callId}`);

/** Who may live on while the task rests: the ask that it rests on, and commands in the background. */
function nobodyWorks({ after }: Step): string | undefined {
  if (!AT_REST.has(topState(after.state))) return undefined;
  const ask = `ask:${after.context.ask?.id}`;
  const odd = [...after.activeActors].find((id) => id !== ask && !isBackground(after, id));
  return odd === undefined ? undefined : `${odd} is alive in ${after.state}`;
}

/** Where nobody came or went and nobody's place is another, all belong where they belonged. */
const isAsBefore = ({ before, after, reopened }: Step): boolean =>
  reopened === undefined &&
  before.activeActors === after.activeActors &&
  before.state === after.state &&
  before.context.turn === after.context.turn &&
  before.context.background === after.context.background &&
  before.context.ask === after.context.ask;

/** Who may live at all: the actors of what stands in the context. */
function everyoneBelongs(after: View): string | undefined {
  const { calls } = after.context.turn;
  const runs = new Set(calls.flatMap(({ phase, callId }) => (phase === "running" ? [`tool:${callId}`] : [])));
  const looks = new Set(
    calls.flatMap(({ phase, callId }) => (phase === "deciding" ? [`review:${callId}`] : [])),
  );
  for (const id of after.activeActors) {
    if (id.startsWith("tool:") && !runs.has(id) && !isBackground(after, id)) return `${id} runs for nobody`;
    if (id.startsWith("review:") && !looks.has(id)) return `${id} looks at a call that isn't under review`;
    if (id.startsWith("subtask:") && after.state !== "running.delegated")
      return `${id} is at work in ${after.state}`;
    if (id === "checkpoint" && after.state !== "running.checkpointing")
      return `a snapshot is taken in ${after.state}`;
    if (id.startsWith("ask:") && id !== `ask:${after.context.ask?.id}`) return `${id} outlives its ask`;
  }
  const beside = after.context.background.map(({ callId }) => `tool:${callId}`);
  const missing = [...runs, ...looks, ...beside].find((id) => !after.activeActors.has(id));
  return missing === undefined ? undefined : `${missing} was stopped and its call still waits for it`;
}

function startedOnce({ before, emitted }: Step): string | undefined {
  if (!emitted.some(({ type }) => type === "effect.started")) return undefined;
  const alive = new Set(before.activeActors);
  for (const piece of emitted) {
    if (piece.type === "effect.stopped") alive.delete(piece.id);
    if (piece.type !== "effect.started") continue;
    if (alive.has(piece.id)) return `${piece.id} was started while it lives`;
    alive.add(piece.id);
  }
  return undefined;
}

/** L10: at rest nobody works; every actor belongs to something that waits for it, and is started once. */
export const rest: Law = {
  id: "L10",
  title: "at rest nobody works, and every actor belongs to what waits for it",
  violation: firstViolation(startedOnce, nobodyWorks, (step) =>
    isAsBefore(step) ? undefined : everyoneBelongs(step.after),
  ),
};
