import type { InboxDatabase, InboxWorld } from "./inbox-world.ts";

/** A law of each world. */
export interface InboxLaw {
  readonly id: string;
  readonly says: string;
  /** The fault that breaks it in a world; undefined if it holds. */
  readonly broken: (world: InboxWorld) => string | undefined;
}

/** A law about progress, which {@link exploreInbox} checks from each world. */
export interface InboxProgress {
  readonly id: string;
  readonly says: string;
  /** Whether a world is one that the law leads to. */
  /** A world that the law does not lead on from, in words. */
  readonly unreached: string;
  readonly isReached: (world: InboxWorld) => boolean;
}

export const INBOX_PROGRESS: readonly InboxProgress[] = [
  {
    id: "WOKEN",
    says: "While a worker lives and no further fault happens, a woken task is owned in bounded time.",
    unreached: "the woken task has no owner",
    isReached: isWakeServed,
  },
  {
    id: "TAKEN",
    says: "While a worker lives and no further fault happens, each command takes effect in bounded time.",
    unreached: "a command is not taken",
    isReached: isAllTaken,
  },
];

/** The laws of each world. */
export const INBOX_LAWS: readonly InboxLaw[] = [
  {
    id: "POSITIONS",
    says: "The positions of a task are 1, 2, 3 and so on, and none is used again.",
    broken: ({ database: { rows } }) => {
      const row = rows.find(({ position }, index) => position !== index + 1);
      return row && `command ${row.id} has position ${row.position}`;
    },
  },
  {
    id: "ONCE",
    says: "A command takes effect once, however often its row, its notification or its wake is delivered, or its put repeated.",
    broken: ({ database }) => {
      const seen = new Set<number>();
      for (const effect of effectsIn(database)) {
        if (seen.has(effect)) return `command ${effect} took effect twice`;
        seen.add(effect);
      }
      return undefined;
    },
  },
  {
    id: "ORDER",
    says: "Commands take effect in the order in which they were put.",
    broken: ({ database }) => {
      const effects = effectsIn(database);
      const at = effects.findIndex((effect, index) => effect < (effects[index - 1] ?? 0));
      return at === -1 ? undefined : `command ${effects[at]} took effect after command ${effects[at - 1]}`;
    },
  },
  {
    id: "KEPT",
    says: "A command is removed, or passed by the position of its task, only after its effect is durable.",
    broken: ({ database }) => {
      const effects = effectsIn(database);
      const taken = database.records.findLast(({ position }) => position !== undefined)?.position ?? 0;
      const passed = database.rows.find(
        ({ id, isRemoved, position }) => (isRemoved || position <= taken) && !effects.includes(id),
      );
      if (passed === undefined) return undefined;
      const what = passed.isRemoved ? "was removed" : `is before position ${taken}`;
      return `command ${passed.id} ${what} and had no effect`;
    },
  },
];

/** The commands that took effect, in order. */
const effectsIn = ({ records }: InboxDatabase): readonly number[] =>
  records.flatMap(({ effect }) => effect ?? []);

/** Whether each command that was put took effect, and its sender has woken the task. */
function isAllTaken({ database, put, woken }: InboxWorld): boolean {
  const effects = effectsIn(database);
  return put === woken && database.rows.every(({ id }) => effects.includes(id));
}

/** Whether a living worker owns the task, or no wake waits or is handled: each was handled by an owner, to its end. */
function isWakeServed({ workers, database: { owner }, isWakeWaiting }: InboxWorld): boolean {
  const isHandled = workers.every(({ isUp, isWoken }) => !isUp || !isWoken);
  if (!isWakeWaiting && isHandled) return true;
  const living = owner === undefined ? undefined : workers[owner];
  return living?.isUp === true && living.delivery !== undefined;
}
