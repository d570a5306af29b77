import { type Database, ticked } from "./database.ts";
import type { OwnershipRules } from "./rules.ts";
import type { BrokenLaw } from "./search.ts";
import { aged, type Done, elapsed, isOverdue, type Workers, workerId } from "./workers.ts";
import type { Faults, Sent, Worker, World } from "./world.ts";

/** A step of the world. */
export interface Move {
  readonly label: string;
  readonly world: World;
}

/** All steps from a world: steps of its workers, of the database and of time, and the faults that are left. */
export function movesOf(world: World, workers: Workers, rules: OwnershipRules): readonly Move[] {
  const moves = world.workers.flatMap((worker, index) => [
    ...ownMoves(world, workers, worker, index),
    ...statementMoves(world, workers, rules, worker, index),
    ...processMoves(world, worker, index),
  ]);
  moves.push(...clockMoves(world, workers, rules));
  return canTick(world) ? [...moves, { label: "time passes", world: tick(world) }] : moves;
}

/** Name of a worker in steps and in the database. */
export const nameOf = (index: number): string => `w${index + 1}`;

/** Whether time can pass: a process that executes notices its deadline at once. */
export const canTick = ({ workers }: World): boolean =>
  !workers.some((worker) => worker.mode === "up" && isOverdue(worker));

export const tick = (world: World): World => ({
  ...world,
  database: ticked(world.database, 1),
  workers: world.workers.map(aged),
});

/** The steps that a worker takes by itself. */
export function ownMoves(world: World, workers: Workers, worker: Worker, index: number): readonly Move[] {
  if (worker.mode !== "up") return [];
  return workers.moves(worker, nameOf(index)).map((move) => ({
    label: move.label,
    world: withDone(world, index, move),
  }));
}

/** The execution, the answer and the loss of each statement of a worker. */
export function statementMoves(
  world: World,
  workers: Workers,
  rules: OwnershipRules,
  worker: Worker,
  index: number,
): readonly Move[] {
  return worker.sent.flatMap((sent, at) => {
    const name = `${sent.statement.type} of ${nameOf(index)}`;
    const moves: Move[] = [];
    if (sent.answer === undefined)
      moves.push({
        label: `the database executes ${name}`,
        world: executed(world, workers, rules, index, at),
      });
    if (sent.answer !== undefined && worker.mode === "up")
      moves.push({
        label: `${nameOf(index)} receives ${sent.answer.type}`,
        world: answered(world, workers, index, at),
      });
    if (world.faults.cuts > 0 && sent.isAwaited && worker.mode === "up")
      moves.push({
        label: `the connection of ${name} is cut`,
        world: withFault(withWorker(world, index, withoutLost(workers.cut(worker, at))), "cuts"),
      });
    if (!sent.isAwaited)
      moves.push({ label: `${name} is dropped`, world: withWorker(world, index, without(worker, at)) });
    return moves;
  });
}

/** Each clock is set alone: the database's, and the one of each worker's system. */
function clockMoves(world: World, workers: Workers, rules: OwnershipRules): readonly Move[] {
  if (world.faults.clocks === 0) return [];
  return [workers.leaseTicks, -workers.leaseTicks].flatMap((ticks) => {
    const way = ticks > 0 ? "forward" : "back";
    return [
      {
        label: `the database's clock is set ${way}`,
        world: withFault(withDatabaseClock(world, ticks), "clocks"),
      },
      ...world.workers.map((worker, index) => ({
        label: `the clock of ${nameOf(index)} is set ${way}`,
        world: withFault(withWorker(world, index, elapsed(worker, rules.timeSeen(ticks))), "clocks"),
      })),
    ];
  });
}

const withDatabaseClock = (world: World, ticks: number): World => ({
  ...world,
  database: ticked(world.database, ticks),
  workers: ticks < 0 ? world.workers : world.workers.map((each) => ({ ...each, shortened: each.leases })),
});

/** A process is killed, stopped or continued. */
function processMoves(world: World, worker: Worker, index: number): readonly Move[] {
  const name = nameOf(index);
  if (worker.mode === "stopped")
    return [
      {
        label: `${name} continues`,
        world: withWorker(world, index, { ...worker, mode: "up", isLate: isOverdue(worker) }),
      },
    ];
  if (worker.mode === "down") return [];
  const moves: Move[] = [];
  if (world.faults.kills > 0)
    moves.push({
      label: `${name} is killed`,
      world: withFault(withWorker(world, index, killed(worker)), "kills"),
    });
  if (world.faults.stops > 0)
    moves.push({
      label: `${name} is stopped`,
      world: withFault(withWorker(world, index, { ...worker, mode: "stopped" }), "stops"),
    });
  return moves;
}

function executed(world: World, workers: Workers, rules: OwnershipRules, index: number, at: number): World {
  const worker = world.workers[index];
  const sent = worker?.sent[at];
  if (worker === undefined || sent === undefined) return world;
  const { statement } = sent;
  const { database, answer } = rules.execute(world.database, statement, workers.leaseTicks);
  const after: readonly Sent[] = worker.sent.map((each, place) =>
    place === at ? { ...each, answer } : each,
  );
  const { shortened: _, ...renewed } = worker;
  const of = answer.type === "renewed" ? renewed : worker;
  const done = { ...withWorker(world, index, withoutLost({ ...of, sent: after })), database };
  if (statement.type !== "append" || answer.type !== "appended") return done;
  const { owner, epoch } = world.database;
  if (owner !== statement.worker || epoch !== statement.epoch)
    return withWrong(done, {
      law: "OWNED",
      what: `${statement.worker} wrote in epoch ${statement.epoch}, and ${owner ?? "nobody"} owns the task in epoch ${epoch}`,
    });
  const isRemoved = statement.from < world.acknowledged;
  if (!isRemoved) return done;
  return withWrong(done, {
    law: "RECORDED",
    what: `${nameOf(index)} removed a record that another one wrote`,
  });
}

function answered(world: World, workers: Workers, index: number, at: number): World {
  const worker = world.workers[index];
  const { statement, answer } = worker?.sent[at] ?? {};
  if (worker === undefined || answer === undefined) return world;
  const done = withDone(world, index, workers.receive(worker, at, answer));
  if (statement?.type !== "append" || answer.type !== "appended") return done;
  const end = statement.from + statement.records.length;
  return { ...done, acknowledged: Math.max(done.acknowledged, end) };
}

/** The world after what a worker did. An effect must not start unless its start is recorded and its worker owns the task. */
function withDone(world: World, index: number, { worker, started }: Done): World {
  const after = withWorker(world, index, withoutLost(worker));
  if (started === undefined) return after;
  const { records, owner } = world.database;
  const id = workerId(nameOf(index), worker);
  const isRecorded = records.some(
    (record) => record.kind === "start" && record.effect === started && record.by === id,
  );
  if (!isRecorded)
    return withWrong(after, {
      law: "RECORDED",
      what: `${id} started effect ${started} without a record of it`,
    });
  if (owner === id || isShortened(worker)) return after;
  return withWrong(after, {
    law: "STOPPED",
    what: `${id} started effect ${started}, and ${owner ?? "nobody"} owns the task`,
  });
}

/** Whether the database's clock may end the lease before its worker stops. */
export const isShortened = ({ shortened, leases }: Worker): boolean => shortened === leases;

const withWrong = (world: World, wrong: BrokenLaw): World => ({ ...world, wrong: world.wrong ?? wrong });

const killed = (worker: Worker): Worker =>
  withoutLost({
    ...worker,
    mode: "down",
    backlog: [],
    known: [],
    sent: worker.sent.map((each) => ({ ...each, isAwaited: false })),
  });

/** A worker without the statements that were executed and whose answers nobody awaits. */
function withoutLost(worker: Worker): Worker {
  const sent = worker.sent.filter(({ answer, isAwaited }) => answer === undefined || isAwaited);
  return sent.length === worker.sent.length ? worker : { ...worker, sent };
}

/**
 * A world in which every worker has sent what it can, without rows that nothing depends on. `registers`: registrations are
 * executed and answered at once.
 */
export function prepared(world: World, workers: Workers, rules: OwnershipRules, registers: boolean): World {
  let now = world;
  for (const index of world.workers.keys()) {
    now = sending(now, workers, index);
    const at = now.workers[index]?.sent.findIndex((sent) => isAnsweredAtOnce(sent, registers)) ?? -1;
    if (at !== -1)
      now = sending(answered(executed(now, workers, rules, index, at), workers, index, at), workers, index);
  }
  return { ...now, database: withoutDead(now) };
}

function sending(world: World, workers: Workers, index: number): World {
  const worker = world.workers[index];
  return worker === undefined ? world : withWorker(world, index, workers.sending(worker, nameOf(index)));
}

/** Whether nothing depends on the moment of a statement: a registration that takes no time, or a refusal. */
const isAnsweredAtOnce = ({ statement, answer }: Sent, registers: boolean): boolean =>
  answer === undefined ? registers && statement.type === "register" : answer.type === "refused";

/** The database without the rows of workers that own nothing and no longer exist. */
function withoutDead({ database, workers }: World): Database {
  const { owner } = database;
  const rows = database.workers.filter(
    ({ id, isDead }) => id === owner || (!isDead && workers.some((worker, at) => isOf(worker, at, id))),
  );
  return rows.length === database.workers.length ? database : { ...database, workers: rows };
}

const isOf = (worker: Worker, index: number, id: string): boolean =>
  (worker.mode !== "down" && workerId(nameOf(index), worker) === id) ||
  worker.sent.some(({ statement }) => statement.worker === id);

const without = (worker: Worker, at: number): Worker => ({
  ...worker,
  sent: worker.sent.filter((_, index) => index !== at),
});

const withWorker = (world: World, index: number, worker: Worker): World => ({
  ...world,
  workers: world.workers.map((each, at) => (at === index ? worker : each)),
});

const withFault = (world: World, fault: keyof Faults): World => ({
  ...world,
  faults: { ...world.faults, [fault]: world.faults[fault] - 1 },
});
