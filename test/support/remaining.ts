import type { AnyActorRef } from "xstate";
import { FACT_NAMES } from "../../machines/task/commit.ts";
import type { DurableFacts } from "../../machines/task/task.events.ts";
import { Scenario } from "./scenario.ts";

const format = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Format a changed fact; of the counters, only the changed ones. */
function factLine(name: keyof DurableFacts, value: unknown, fresh: DurableFacts): string[] {
  if (format(value) === format(fresh[name])) return [];
  if (name !== "counters" || typeof value !== "object" || value === null)
    return [`  ${name} ${format(value)}`];
  const first = new Map<string, unknown>(Object.entries(fresh.counters));
  const counted = Object.entries(value).filter(([of, count]) => format(count) !== format(first.get(of)));
  return [`  ${name} ${counted.map(([of, count]) => `${of} ${format(count)}`).join(", ")}`];
}

/** Format a running actor and its input; of a conversation, only the length. */
function actorLine(id: string, actor: AnyActorRef | undefined): string {
  const snapshot: unknown = actor?.getSnapshot();
  const isGiven = typeof snapshot === "object" && snapshot !== null && "input" in snapshot;
  const short = (key: string, value: unknown) =>
    (key === "conversation" || key === "history") && Array.isArray(value) ? `${value.length} entries` : value;
  return `  running: ${id} by ${String(actor?.src)} ${JSON.stringify(isGiven ? snapshot.input : undefined, short)}`;
}

/** The facts of a new task. */
export const initialFacts = (): DurableFacts => new Scenario().run.view.context;

/** Format the state after a scenario: changed facts, queued messages and running actors. */
export function formatRemaining(name: string, { run, state }: Scenario, fresh: DurableFacts): string {
  const { context } = run.view;
  const children = Object.entries(run.actor.getSnapshot().children);
  const lines = [
    ...FACT_NAMES.flatMap((fact) => factLine(fact, context[fact], fresh)),
    ...context.queue.map((item) => `  queued ${format(item)}`),
    ...children.map(([id, actor]) => actorLine(id, actor)).sort(),
  ];
  return [`${name} = ${state}`, ...lines].join("\n");
}
