import { isAtRest } from "../../machines/message/states.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import { type Law, type Step, topState } from "./law.ts";

function changedField({ after, activated }: Step): string | undefined {
  if (activated === undefined) return undefined;
  if (activated.state !== after.state) return `activated in ${activated.state}, passivated in ${after.state}`;
  const names = Object.keys(after.context) as (keyof TaskContext)[];
  const name = names.find((field) => !isEqual(after.context[field], activated.context[field]));
  return name === undefined ? undefined : `${name} differs after activation`;
}

/** Whether two values are the same data, of the same kinds. */
function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  if (Symbol.iterator in one && Symbol.iterator in other)
    return isEqualList([...(one as Iterable<unknown>)], [...(other as Iterable<unknown>)]);
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isEqual(Reflect.get(one, name), Reflect.get(other, name)));
}

const isEqualList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => isEqual(item, other[index]));

function works({ after, activated }: Step): string | undefined {
  if (activated === undefined) return undefined;
  if (!isAtRest(after.state) && topState(after.state) !== "waiting_for_input")
    return `passivated in ${after.state}`;
  const actors = [...after.activeActors].filter((id) => id !== `ask:${after.context.ask?.id}`);
  return actors.length === 0 ? undefined : `passivated while ${actors.join(", ")} works`;
}

/** Activation restores the state of a task that its ask alone keeps open. */
export const passive: Law = {
  id: "PASSIVE",
  title: "a task is passivated only while nothing works but its ask, and is the same when it is activated",
  violation: (step) => works(step) ?? changedField(step),
};
