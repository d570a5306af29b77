import { AT_REST, firstViolation, type Law, type Step, topState, type View } from "./law.ts";

const isBackground = ({ context }: View, id: string): boolean =>
  context.background.some(({ callId }) => id === `tool:${callId}`);

/** At rest only the open ask and background commands may be active, and the timer of a queued message. */
function noActorWorks({ after }: Step): string | undefined {
  if (!AT_REST.has(topState(after.state))) return undefined;
  const ask = `ask:${after.context.ask?.id}`;
  const timer = after.state === "idle.delivering" ? "timer" : ask;
  const odd = [...after.activeActors].find((id) => id !== ask && id !== timer && !isBackground(after, id));
  return odd === undefined ? undefined : `${odd} is active in ${after.state}`;
}

/** Unchanged actors and calls were checked in an earlier macrostep. */
const isUnchanged = ({ before, after, reopened }: Step): boolean =>
  reopened === undefined &&
  before.activeActors === after.activeActors &&
  before.state === after.state &&
  before.context.turn === after.context.turn &&
  before.context.background === after.context.background &&
  before.context.ask === after.context.ask;

/** Every actor belongs to a call, ask or checkpoint of the context, and vice versa. */
function actorsMatchContext(after: View): string | undefined {
  const { calls } = after.context.turn;
  const running = new Set(
    calls.flatMap(({ phase, callId }) => (phase === "running" ? [`tool:${callId}`] : [])),
  );
  const reviewing = new Set(
    calls.flatMap(({ phase, callId }) =>
      phase === "deciding" || phase === "amending" ? [`review:${callId}`] : [],
    ),
  );
  for (const id of after.activeActors) {
    if (id.startsWith("tool:") && !running.has(id) && !isBackground(after, id))
      return `${id} runs without a call`;
    if (id.startsWith("review:") && !reviewing.has(id))
      return `${id} is active for a call that is not under review`;
    if (id.startsWith("subtask:") && after.state !== "running.delegated")
      return `${id} is active in ${after.state}`;
    if (id === "checkpoint" && after.state !== "running.checkpointing")
      return `a checkpoint is saved in ${after.state}`;
    if (id.startsWith("ask:") && id !== `ask:${after.context.ask?.id}`) return `${id} outlives its ask`;
  }
  const background = after.context.background.map(({ callId }) => `tool:${callId}`);
  const missing = [...running, ...reviewing, ...background].find((id) => !after.activeActors.has(id));
  return missing === undefined ? undefined : `${missing} is not active and its call waits for it`;
}

function startedOnce({ before, emitted }: Step): string | undefined {
  if (!emitted.some(({ type }) => type === "effect.started")) return undefined;
  const active = new Set(before.activeActors);
  for (const event of emitted) {
    if (event.type === "effect.stopped") active.delete(event.id);
    if (event.type !== "effect.started") continue;
    if (active.has(event.id)) return `${event.id} was started while active`;
    active.add(event.id);
  }
  return undefined;
}

/** L10: at rest no actor works; every actor belongs to what waits for it, and is started once. */
export const settling: Law = {
  id: "L10",
  title: "at rest no actor works but a delivery, and every actor belongs to what waits for it",
  violation: firstViolation(startedOnce, noActorWorks, (step) =>
    isUnchanged(step) ? undefined : actorsMatchContext(step.after),
  ),
};
