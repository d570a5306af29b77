import { isShortened, nameOf } from "./moves.ts";
import { workerId } from "./workers.ts";
import type { World } from "./world.ts";

/** A law of each world. */
export interface OwnershipLaw {
  readonly id: string;
  readonly says: string;
  /** The fault that breaks it in a world; undefined if it holds. */
  readonly broken: (world: World) => string | undefined;
}

/** The law about progress, which {@link exploreOwnership} checks from each world. */
export const OWNERSHIP_PROGRESS = {
  id: "TAKEN",
  says: "While a worker lives and no further fault happens, it owns the task and has done it in bounded time.",
} as const;

/** The laws of each world. */
export const OWNERSHIP_LAWS: readonly OwnershipLaw[] = [
  {
    id: "FENCE",
    says: "Each epoch has one writer, and nothing is written in an epoch once a later one has begun to write.",
    broken: ({ database: { records } }) => {
      for (const [index, { epoch, by }] of records.entries()) {
        const before = records[index - 1];
        if (before === undefined) continue;
        if (before.epoch > epoch) return `${by} wrote in epoch ${epoch} after epoch ${before.epoch}`;
        if (before.epoch === epoch && before.by !== by)
          return `${before.by} and ${by} wrote in epoch ${epoch}`;
      }
      return undefined;
    },
  },
  {
    id: "OWNED",
    says: "Each record is written in an epoch that its writer owns at that moment.",
    broken: (world) => wrongBy("OWNED", world),
  },
  {
    id: "RECORDED",
    says: "No record is lost or written twice, and an effect starts only after its worker has recorded the start: so none starts twice.",
    broken: (world) => {
      const { records } = world.database;
      const wrong = wrongBy("RECORDED", world);
      if (wrong !== undefined) return wrong;
      const seen = new Set<string>();
      for (const { kind, effect, epoch } of records) {
        const key = `${kind} ${effect}`;
        if (seen.has(key)) return `${key} is recorded twice, again in epoch ${epoch}`;
        if (kind !== "start" && !seen.has(`start ${effect}`)) return `${key} is recorded without its start`;
        seen.add(key);
      }
      return undefined;
    },
  },
  {
    id: "UNCERTAIN",
    says: "An effect that an earlier owner may still run is recorded as uncertain before the next one starts.",
    broken: ({ database: { records } }) => {
      const open = new Map<number, string>();
      for (const { kind, effect, by } of records) {
        const starter = open.get(effect);
        if (kind !== "start" && starter === undefined)
          return `${by} recorded ${kind} of effect ${effect}, which was over`;
        if (kind === "end" && starter !== undefined && !isSameProcess(starter, by))
          return `${by} recorded the end of effect ${effect}, which ${starter} started`;
        if (kind === "start" && open.size > 0)
          return `effect ${effect} was recorded as started before the end of effect ${[...open.keys()].join()}`;
        if (kind === "start") open.set(effect, by);
        else open.delete(effect);
      }
      return undefined;
    },
  },
  {
    id: "STOPPED",
    says: "A worker starts effects only while it owns the task, and has stopped them before another one can own it, or stops them as soon as it continues after a stop. Only if the database's clock is set forward does a lease end earlier.",
    broken: (world) => {
      const { database, workers } = world;
      const wrong = wrongBy("STOPPED", world);
      if (wrong !== undefined) return wrong;
      const index = workers.findIndex(
        (worker, at) =>
          worker.mode === "up" &&
          !worker.isLate &&
          !isShortened(worker) &&
          worker.running !== undefined &&
          database.owner !== workerId(nameOf(at), worker),
      );
      return index === -1
        ? undefined
        : `${nameOf(index)} runs effect ${workers[index]?.running}, and ${database.owner ?? "nobody"} owns the task`;
    },
  },
  {
    id: "KNOWN",
    says: "A record that an owner takes to be durable is durable.",
    broken: ({ database, workers }) => {
      for (const [index, { claim }] of workers.entries()) {
        const { known } = claim.context;
        if (known === undefined || known.epoch !== database.epoch) continue;
        if (known.length > database.records.length)
          return `${nameOf(index)} knows of ${known.length} records, and there are ${database.records.length}`;
      }
      return undefined;
    },
  },
];

const wrongBy = (law: string, { wrong }: World): string | undefined =>
  wrong?.law === law ? wrong.what : undefined;

/** Whether two ids are of one process, which had one lease after the other. */
const isSameProcess = (one: string, other: string): boolean => one.split(".")[0] === other.split(".")[0];
