import type { AnyActorRef } from "xstate";
import type { DurableFacts } from "../../machines/task/index.ts";
import { FACTS } from "./facts.ts";
import { Story } from "./scenario.ts";

const say = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** What has become of one of the facts; of the counters, only those that count. */
function factLine(name: keyof DurableFacts, value: unknown, fresh: DurableFacts): string[] {
  if (say(value) === say(fresh[name])) return [];
  if (name !== "counters" || typeof value !== "object" || value === null) return [`  ${name} ${say(value)}`];
  const first = new Map<string, unknown>(Object.entries(fresh.counters));
  const counted = Object.entries(value).filter(([of, count]) => say(count) !== say(first.get(of)));
  return [`  ${name} ${counted.map(([of, count]) => `${of} ${say(count)}`).join(", ")}`];
}

/** An actor that is at work, and what it was given; of a conversation, how long it is. */
function actorLine(id: string, actor: AnyActorRef | undefined): string {
  const snapshot: unknown = actor?.getSnapshot();
  const isGiven = typeof snapshot === "object" && snapshot !== null && "input" in snapshot;
  const short = (key: string, value: unknown) =>
    (key === "conversation" || key === "history") && Array.isArray(value) ? `${value.length} entries` : value;
  return `  at work: ${id} by ${String(actor?.src)} ${JSON.stringify(isGiven ? snapshot.input : undefined, short)}`;
}

/** The facts of a task before anything has happened. */
export const initialFacts = (): DurableFacts => new Story().run.view.context;

/** What a life leaves, as text: the facts that are remembered of it, and who is at work with what. */
export function formatRemaining(name: string, { run, state }: Story, fresh: DurableFacts): string {
  const { context } = run.view;
  const children = Object.entries(run.actor.getSnapshot().children);
  const lines = [
    ...FACTS.flatMap((fact) => factLine(fact, context[fact], fresh)),
    ...context.queue.map((item) => `  queued ${say(item)}`),
    ...children.map(([id, actor]) => actorLine(id, actor)).sort(),
  ];
  return [`${name} = ${state}`, ...lines].join("\n");
}
