import { hasNoWork } from "../../machines/message/states.ts";
import type { Phase } from "../../machines/tool-call/call.ts";
import { SUBTASK } from "./delegated-calls.ts";
import { firstViolation, type Law, type Step, type View } from "./law.ts";

/** Ids of the actors of commands and subtasks that work in the background. */
const inBackground = ({ context: { background, backgroundSubtasks } }: View): readonly string[] => [
  ...background.map(({ callId }) => `tool:${callId}`),
  ...backgroundSubtasks.flatMap(({ callId, rests, end }) =>
    rests === undefined && end === undefined ? [SUBTASK + callId] : [],
  ),
];

/** At rest only the open ask and what works in the background may be active, and the timer of a queued message. */
function noActorWorks({ after }: Step): string | undefined {
  if (!hasNoWork(after.state)) return undefined;
  const ask = `ask:${after.context.ask?.id}`;
  const timer = after.state === "idle.delivering" ? "timer" : ask;
  const background = inBackground(after);
  const odd = [...after.activeActors].find((id) => id !== ask && id !== timer && !background.includes(id));
  return odd === undefined ? undefined : `${odd} is active in ${after.state}`;
}

/** Unchanged actors and calls were checked in an earlier macrostep. */
const isUnchanged = ({ before, after, reopened }: Step): boolean =>
  reopened === undefined &&
  before.activeActors === after.activeActors &&
  before.state === after.state &&
  before.context.turn === after.context.turn &&
  before.context.background === after.context.background &&
  before.context.backgroundSubtasks === after.context.backgroundSubtasks &&
  before.context.ask === after.context.ask;

/** The phases in which a call has an actor, by the first part of the actor's id. */
const PHASES: Readonly<Record<string, readonly Phase[]>> = {
  tool: ["running"],
  review: ["deciding", "amending", "judging"],
  hook: ["hooking", "ended"],
};

/** The state in which an actor of this id is active. */
const STATES: Readonly<Record<string, string>> = {
  checkpoint: "running.checkpointing",
  hook: "streaming.hooking",
};

/** Ids of the actors that calls wait for, and of those in the background. */
function awaitedActors(view: View): ReadonlySet<string> {
  const ofCalls = view.context.turn.calls.flatMap(({ phase, callId }) =>
    Object.entries(PHASES).flatMap(([kind, phases]) => (phases.includes(phase) ? [`${kind}:${callId}`] : [])),
  );
  return new Set([...ofCalls, ...inBackground(view)]);
}

/** Every actor belongs to a call, ask or checkpoint of the context, and vice versa. */
function actorsMatchContext(after: View): string | undefined {
  const awaited = awaitedActors(after);
  for (const id of after.activeActors) {
    const [kind = "", ofCall] = id.split(":");
    if (ofCall !== undefined && Object.hasOwn(PHASES, kind) && !awaited.has(id))
      return `${id} is active and no call waits for it`;
    const isAwaited = kind === "subtask" && !awaited.has(id);
    const state = STATES[id] ?? (isAwaited ? "running.delegated" : after.state);
    if (state !== after.state) return `${id} is active in ${after.state}`;
    if (kind === "ask" && id !== `ask:${after.context.ask?.id}`) return `${id} outlives its ask`;
  }
  const missing = [...awaited].find((id) => !after.activeActors.has(id));
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
