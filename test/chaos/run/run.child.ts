import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { anthropic, createHost } from "signalbox";
import { openPostgres, type PostgresStore } from "signalbox/postgres";
import type { Cluster } from "../../../bench/harness/cluster.ts";
import { openWakes, type PostgresWakes } from "../../../cluster/wakes/wakes.ts";
import type { MockServer } from "../../../testing/index.ts";
import { Clients } from "./clients.ts";
import { Commands, untilDone } from "./commands.ts";
import { firstPrompt, KINDS, type Kind } from "./kinds.ts";
import { DATABASE_FAULTS, Nemesis, PROCESS_FAULTS } from "./nemesis.ts";
import { Progress } from "./progress.ts";
import { Random } from "./random.ts";
import { type RunFigures, RunInput } from "./run-input.ts";
import { ServerRequests } from "./server-requests.ts";
import { Site } from "./site.ts";

/**
 * One run: tasks in PostgreSQL, several workers and servers, clients, and faults. It writes the history to a folder, and prints
 * the URL of the database when the other processes have ended. The database runs until the standard input ends.
 */

interface PlannedTask {
  readonly id: string;
  readonly kind: Kind;
  /** Time from the begin of the run to the first command, in ms. */
  readonly startsAt: number;
  /** Time from the first command to the second one, in ms. */
  readonly laterMs: number;
}

/** Time that clients have to see the last records, in ms. */
const SEEN_MS = 60_000;
/** Shortest and longest time between two faults of a nemesis, in ms. */
const PAUSE_MS = [1_000, 5_000] as const;

const input = RunInput.parse(JSON.parse(process.argv[2] ?? ""));
const file = (name: string): string => path.join(input.folder, name);

const random = new Random(input.seed);
const tasks = Array.from(
  { length: input.tasks },
  (_, n): PlannedTask => ({
    id: `task-${n + 1}`,
    kind: KINDS[n % KINDS.length] ?? "plain",
    startsAt: Math.floor((n / input.tasks) * input.seconds * 1000),
    laterMs: random.between(1_000, 6_000),
  }),
);
const ids = tasks.map(({ id }) => id);
for (const name of ["effects.txt", "commands.ndjson", "streams.ndjson"]) writeFileSync(file(name), "");
writeFileSync(file("tasks.json"), JSON.stringify(tasks.map(({ id, kind }) => ({ id, kind }))));

const site = await Site.start(input, createTasks);
process.stdin.resume().once("end", () => site.remove().finally(() => process.exit()));
const store = await openPostgres({ url: site.cluster.url() });
const wakes = await openWakes({ url: site.cluster.url(), store, onError: () => {} });
writeFileSync(file("figures.json"), JSON.stringify(await runTasks(store, wakes)));
await wakes.close();
await store.close();
console.log(site.cluster.url());

/** Create the tasks that no server starts. Each completes once, so that it is at rest. */
async function createTasks(cluster: Cluster, mock: MockServer): Promise<void> {
  const own = await openPostgres({ url: cluster.url() });
  const model = anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock.url });
  const host = createHost({ journal: own.journal });
  for (const { id, kind } of tasks.filter((one) => one.kind !== "served")) {
    const task = await host.create({ id, model, workspace: false, completion: "tool" });
    await task.run(firstPrompt(kind));
    await host.close(id);
  }
  await own.close();
}

/** Send the commands while faults occur, and wait until the tasks have ended. */
async function runTasks({ inbox }: PostgresStore, woken: PostgresWakes): Promise<RunFigures> {
  const onSent = (sent: object): void => appendFileSync(file("commands.ndjson"), `${JSON.stringify(sent)}\n`);
  const senders = {
    commands: new Commands(inbox, woken, onSent),
    requests: new ServerRequests(site.servers, onSent),
  };
  const progress = new Progress(site.cluster.url());
  const clients = new Clients(ids, {
    servers: site.servers,
    onEvent(event) {
      appendFileSync(file("streams.ndjson"), `${JSON.stringify(event)}\n`);
      progress.saw(event);
    },
    onQuestion: (task, askId) => answer(task, askId, senders),
  });
  const { isLimited } = site.disk;
  const nemeses = [PROCESS_FAULTS, DATABASE_FAULTS].map((faults, n) => {
    const possible = faults.filter(({ name }) => name !== "full disk" || isLimited);
    return new Nemesis(site, possible, new Random(input.seed + n + 1), PAUSE_MS);
  });
  const end = Date.now() + input.seconds * 1000;
  await Promise.all([
    ...nemeses.map((nemesis) => nemesis.causeUntil(end)),
    ...tasks.map((task) => sendAll(task, senders)),
  ]);
  await Promise.all([senders.commands.settled(), senders.requests.settled()]);

  const healing = Date.now();
  const healMs = input.healSeconds * 1000;
  // Half of the time without help.
  let working: readonly string[] = await progress.untilEnded(ids, healing + healMs / 2);
  const parked = working.length === 0 ? 0 : await retryParked(woken);
  if (working.length > 0) working = await progress.untilEnded(ids, healing + healMs);
  const healedSeconds = Math.round((Date.now() - healing) / 1000);
  await progress.untilSeen(Date.now() + SEEN_MS);
  await clients.stop();
  await progress.close();
  const workerExits = [...(await site.endProcesses())];
  return {
    faults: Object.fromEntries(nemeses.flatMap(({ counts }) => [...counts])),
    skipped: isLimited ? [] : ["full disk (this user may not mount a file system)"],
    starts: {
      workers: site.workers.reduce((sum, { starts }) => sum + starts, 0),
      servers: site.servers.reduce((sum, { supervised }) => sum + supervised.starts, 0),
    },
    workerExits,
    connections: clients.connections,
    parked,
    working: [...working],
    healedSeconds,
  };
}

interface Senders {
  readonly commands: Commands;
  readonly requests: ServerRequests;
}

async function sendAll({ id, kind, startsAt, laterMs }: PlannedTask, senders: Senders): Promise<void> {
  const { commands, requests } = senders;
  await pause(startsAt);
  if (kind === "served") requests.start(id, firstPrompt(kind), input.folder);
  else commands.send(id, { kind: "continue", text: `continue-${id}.` });
  await pause(laterMs);
  if (kind === "served") requests.message(id, `message-${id}.`);
  if (kind === "message") commands.send(id, { kind: "message", text: `message-${id}.` });
  if (kind === "cancelled" || kind === "dropped") commands.send(id, { kind: "cancel" });
}

/** Answer a question: of a subtask, which has no inbox, through a server. */
function answer(task: string, askId: number, { commands, requests }: Senders): void {
  const text = `answer-${task}-${askId}.`;
  const isServed = tasks.find(({ id }) => id === task)?.kind === "served";
  if (isServed || !ids.includes(task)) requests.answer(task, askId, text);
  else commands.send(task, { kind: "answer", askId, answer: { kind: "text", text } });
}

/** Wake the tasks whose wakes failed too often, as a person does. */
async function retryParked(woken: PostgresWakes): Promise<number> {
  const found = await untilDone(() => woken.parked());
  for (const { taskId } of found) await untilDone(() => woken.retry(taskId));
  return found.length;
}
