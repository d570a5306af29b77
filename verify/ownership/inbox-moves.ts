import type { InboxRules } from "./inbox-rules.ts";
import { type InboxWorkers, lost, type WorkerStep } from "./inbox-worker.ts";
import type { InboxFaults, InboxWorker, InboxWorld } from "./inbox-world.ts";

/** A step of the world. */
export interface InboxMove {
  readonly label: string;
  readonly world: InboxWorld;
}

/** The parts that the moves of a world depend on. */
export interface InboxGoing {
  readonly rules: InboxRules;
  readonly workers: InboxWorkers;
  /** Commands that are put in all. */
  readonly commands: number;
}

/** The steps that need no fault, by who takes them: the sender first, then each worker. */
export const dueMoves = (world: InboxWorld, going: InboxGoing): readonly (readonly InboxMove[])[] => [
  senderMoves(world, going),
  ...world.workers.map((worker, index) => workerMoves(world, going, worker, index)),
];

/** All steps from a world. */
export const inboxMoves = (world: InboxWorld, going: InboxGoing): readonly InboxMove[] => [
  ...dueMoves(world, going).flat(),
  ...world.workers.flatMap((worker, index) => workerFaults(world, going, worker, index)),
  ...senderFaults(world, going),
];

/** Name of a worker in steps. */
export const inboxWorkerName = (index: number): string => `w${index + 1}`;

function senderMoves(world: InboxWorld, { rules, commands }: InboxGoing): readonly InboxMove[] {
  const { put, woken } = world;
  if (woken < put) {
    const isWakeWaiting = world.isWakeWaiting || rules.wakes;
    return [{ label: "the sender wakes the task", world: { ...world, woken: put, isWakeWaiting } }];
  }
  if (put === commands) return [];
  return [
    { label: `the sender puts command ${put}`, world: { ...withPut(world, rules, put), put: put + 1 } },
  ];
}

/** A put, and a notification of each worker that listens. */
const withPut = (world: InboxWorld, rules: InboxRules, id: number): InboxWorld => ({
  ...world,
  database: rules.put(world.database, id),
  workers: world.workers.map((worker) =>
    rules.notifies && worker.isUp && worker.isListening && worker.delivery !== undefined
      ? { ...worker, isNotified: true }
      : worker,
  ),
});

function senderFaults(world: InboxWorld, { rules }: InboxGoing): readonly InboxMove[] {
  const { put, faults, isWakeWaiting } = world;
  if (faults.duplicates === 0 || put === 0) return [];
  const repeated = withPut(world, rules, put - 1);
  const moves: InboxMove[] = [
    { label: `the sender repeats command ${put - 1}`, world: withFault(repeated, "duplicates") },
  ];
  if (!isWakeWaiting)
    moves.push({
      label: "a wake is delivered again",
      world: withFault({ ...world, isWakeWaiting: true }, "duplicates"),
    });
  return moves;
}

function workerMoves(
  world: InboxWorld,
  { rules, workers }: InboxGoing,
  worker: InboxWorker,
  index: number,
): readonly InboxMove[] {
  const name = inboxWorkerName(index);
  const { sent, delivery } = worker;
  const moves: InboxMove[] = [];
  const add = (label: string, next: InboxWorld): void => {
    moves.push({ label: `${name} ${label}`, world: next });
  };
  if (sent !== undefined && sent.answer === undefined)
    moves.push({
      label: `the database executes ${sent.statement.type} of ${name}`,
      world: executed(world, rules, worker, index),
    });
  if (!worker.isUp) return moves;
  if (sent?.answer !== undefined)
    add(`receives ${sent.answer.type}`, withStep(world, index, workers.receive(worker, sent.answer)));
  if (worker.isNotified)
    add("is notified", withWorker(world, index, workers.notified({ ...worker, isNotified: false })));
  if (!worker.isListening) {
    const listening = { ...worker, isListening: true };
    add(
      "listens again",
      withWorker(world, index, rules.reportsGaps ? workers.notified(listening) : listening),
    );
  }
  if (rules.retries && delivery?.value === "failed")
    add("tries again", withWorker(world, index, workers.retried(worker)));
  if (delivery !== undefined && world.database.owner !== index)
    add("notices that its lease ended", withStep(world, index, lost(worker)));
  if (world.isWakeWaiting && !worker.isWoken)
    add("takes the wake", withWorker({ ...world, isWakeWaiting: false }, index, workers.woken(worker)));
  return moves;
}

function workerFaults(
  world: InboxWorld,
  { workers, rules }: InboxGoing,
  worker: InboxWorker,
  index: number,
): readonly InboxMove[] {
  if (!worker.isUp) return [];
  const name = inboxWorkerName(index);
  const { faults, database } = world;
  const moves: InboxMove[] = [];
  const add = (fault: keyof InboxFaults, label: string, next: () => InboxWorld): void => {
    if (faults[fault] > 0) moves.push({ label, world: withFault(next(), fault) });
  };
  add("kills", `${name} is killed`, () => withStep(world, index, killed(worker, rules)));
  if (worker.sent !== undefined)
    add("cuts", `the connection of ${worker.sent.statement.type} of ${name} is cut`, () =>
      withStep(world, index, workers.cut(worker)),
    );
  if (database.owner === index)
    add("losses", `the lease of ${name} ends`, () => {
      const { owner: _, ...unowned } = database;
      return { ...world, database: unowned, isWakeWaiting: true };
    });
  if (worker.isListening && worker.delivery !== undefined)
    add("gaps", `${name} loses its notifications`, () =>
      withWorker(world, index, { ...worker, isListening: false, isNotified: false }),
    );
  if (worker.delivery !== undefined)
    add("duplicates", `${name} is notified of nothing`, () =>
      withWorker(world, index, workers.notified(worker)),
    );
  return moves;
}

/** A statement that was sent may still be executed. */
function killed(worker: InboxWorker, { redelivers }: InboxRules): WorkerStep {
  const { worker: dead } = lost(worker);
  const { sent } = worker;
  const left = sent?.answer === undefined && sent !== undefined ? { sent } : {};
  const isLeft = worker.isWoken && redelivers ? ({ wake: "again" } as const) : {};
  return { worker: { ...dead, isUp: false, isListening: false, isNotified: false, ...left }, ...isLeft };
}

function executed(world: InboxWorld, rules: InboxRules, worker: InboxWorker, index: number): InboxWorld {
  const { sent } = worker;
  if (sent === undefined) return world;
  const { owner } = world.database;
  const isOwned = owner !== undefined && world.workers[owner]?.isUp === true;
  const { database, answer } = rules.execute(world.database, index, sent.statement, isOwned);
  const { sent: _, ...rest } = worker;
  const after = worker.isUp ? { ...worker, sent: { ...sent, answer } } : rest;
  return withWorker({ ...world, database }, index, after);
}

const withStep = (world: InboxWorld, index: number, { worker, wake }: WorkerStep): InboxWorld => ({
  ...withWorker(world, index, worker),
  isWakeWaiting: world.isWakeWaiting || wake === "again",
});

const withWorker = (world: InboxWorld, index: number, worker: InboxWorker): InboxWorld => ({
  ...world,
  workers: world.workers.map((each, at) => (at === index ? worker : each)),
});

const withFault = (world: InboxWorld, fault: keyof InboxFaults): InboxWorld => ({
  ...world,
  faults: { ...world.faults, [fault]: world.faults[fault] - 1 },
});
