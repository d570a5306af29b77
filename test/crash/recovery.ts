import { z } from "zod";
import { type Entry, validateHistory } from "../../machines/conversation/index.ts";
import type { Host, Task } from "../../runtime/index.ts";
import type { MockServer } from "../../testing/mock/index.ts";
import { entrySchema } from "../../wire/index.ts";
import { blocksOf, countedIn, type Started, startedIn, usesIn } from "./effects.ts";
import { fold, isOpenAsk } from "./fold.ts";
import { type PlainBlock, type PlainRecord, recordsOf } from "./records.ts";
import { CHILD_ID, CHILD_RESULT, PROMPT, RESULT, TASK_ID } from "./scenario.ts";
import { live, optionsIn, type Place } from "./scenario-run.ts";

/** What a task is recovered from, and with. */
export interface Scene {
  readonly place: Place;
  /** A new host over the same journals. */
  readonly host: () => Host;
  /** The journal of a task as it is now. */
  readonly journal: (taskId: string) => Promise<Buffer>;
  /** The server that this task and its subtask alone have talked to. */
  readonly mock: MockServer;
}

/** What became of a recovered task. */
export interface Recovery {
  /** The laws that were broken, and where. */
  readonly broken: readonly string[];
  /** What it was found to be: the state that its journal ended in. */
  readonly from: string;
  /** Effects that were told as uncertain. */
  readonly uncertain: number;
}

const FAMILY = [TASK_ID, CHILD_ID];

/**
 * Opens a task, holds what comes against the laws, goes on to its completion, and counts the effects of it and its
 * subtask: by what stands on disk and what the server got.
 */
export async function recover(scene: Scene): Promise<Recovery> {
  const found = await familyIn(scene);
  const before = fold(found.get(TASK_ID) ?? []);
  const broken = [...found.values()].flatMap((records) => fold(records).broken);
  const started = [...found.values()].flatMap(startedIn);
  const known = new Set(started.map(({ name }) => name));
  for (const name of (await countedIn(scene.place.workspace)).keys())
    if (!known.has(name)) broken.push(`L11: ${name} ran, and its start is in no record`);

  const records = found.get(TASK_ID) ?? [];
  const end =
    before.rows.length === 0
      ? await beginAnew(scene, records.length > 0)
      : await reopen(scene, records, broken);
  if (end.result !== RESULT) broken.push(`the task ended with ${JSON.stringify(end)}`);

  const after = await familyIn(scene);
  broken.push(...[...after.values()].flatMap((each) => fold(each).broken));
  broken.push(...saysWhatIsUncertain(found.get(CHILD_ID) ?? [], fold(after.get(CHILD_ID) ?? []).rows));
  broken.push(...oneEndOfSubtask(after));
  const uncertain = started.filter(({ ended }) => !ended);
  // After a second crash: what was said after the first one stands.
  const earlier = [...found.values()].flatMap((each) => toldBefore(each, broken));
  const names = [...earlier, ...uncertain].map(({ name }) => name);
  broken.push(...(await settledEffects(scene, after, names)));
  return { broken, from: before.state, uncertain: uncertain.length };
}

type FamilyRecords = ReadonlyMap<string, readonly PlainRecord[]>;

async function familyIn({ journal }: Scene): Promise<FamilyRecords> {
  const records = new Map<string, readonly PlainRecord[]>();
  for (const taskId of FAMILY) records.set(taskId, recordsOf(await journal(taskId)));
  return records;
}

type End = Awaited<ReturnType<typeof live>>;

/** Its crash came before its first words were durable: it is begun again, under its own name. */
async function beginAnew({ place, host: newHost }: Scene, hasHeader: boolean): Promise<End> {
  const host = newHost();
  const options = optionsIn(place);
  const task = await (hasHeader ? host.open(TASK_ID, options) : host.create({ ...options, id: TASK_ID }));
  const end = await live(host, task, PROMPT);
  await host.closeAll();
  return end;
}

async function reopen(scene: Scene, found: readonly PlainRecord[], broken: string[]): Promise<End> {
  const { place } = scene;
  const first = scene.host();
  const task = await first.open(TASK_ID, optionsIn(place));
  const bytes = await scene.journal(TASK_ID);
  broken.push(...restedRight(task, found, recordsOf(bytes)));
  await first.closeAll();
  const second = scene.host();
  const again = await second.open(TASK_ID, optionsIn(place));
  const more = recordsOf((await scene.journal(TASK_ID)).subarray(bytes.length));
  if (more.some(saysAnything)) broken.push("L11: opening it twice added to what its journal says");
  if (JSON.stringify(rowsOf(again)) !== JSON.stringify(rowsOf(task)))
    broken.push("L11: opened twice, it has other rows");
  const end = await live(second, again, "Go on.");
  const journal = fold(recordsOf(await scene.journal(TASK_ID)));
  if (!sameRows(rowsOf(again), journal.rows))
    broken.push("L2: the journal folds to other rows than the task has");
  await second.closeAll();
  return end;
}

/** L16: a call that became a subtask has one result, which is that of the subtask. */
function oneEndOfSubtask(family: FamilyRecords): readonly string[] {
  const records = family.get(TASK_ID) ?? [];
  const { rows } = fold(records);
  const delegated = new Set(
    records.flatMap(({ calls }) =>
      calls.flatMap(({ phase, callId }) => (phase === "delegated" ? [callId] : [])),
    ),
  );
  const results = rows.filter(({ say }) => say === "subtask_result");
  const broken = results.flatMap(({ text }) =>
    text === CHILD_RESULT ? [] : [`L16: the subtask's result is ${JSON.stringify(text)}`],
  );
  if (results.length !== delegated.size)
    broken.push(`L16: ${delegated.size} calls became subtasks, and there are ${results.length} results`);
  if (delegated.size === 0 && (family.get(CHILD_ID)?.length ?? 0) > 0)
    broken.push("L16: there is a subtask that no call began");
  return broken;
}

/** An opening that finds nothing to close says that it was, and nothing of the task. */
const saysAnything = ({ log, conversation, calls, facts, queue }: PlainRecord): boolean =>
  log.length + conversation.length + calls.length > 0 || facts !== undefined || queue !== undefined;

const rowsOf = (task: Task) => task.log.toArray();

const sameRows = (task: readonly unknown[], journal: readonly unknown[]): boolean =>
  JSON.stringify(task.map(sorted)) === JSON.stringify(journal.map(sorted));

/** The order of a row's fields means nothing. */
const sorted = (row: unknown): unknown =>
  Object.entries(z.record(z.string(), z.unknown()).parse(row)).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** L1-L5 and L8 of a task that was just opened: it rests on one ask, which is whether to go on. */
function restedRight(
  task: Task,
  found: readonly PlainRecord[],
  records: readonly PlainRecord[],
): readonly string[] {
  const { rows, state, broken: broke } = fold(records);
  const broken = [...broke];
  const said = task.state.state;
  if (said !== state.split(".")[0]) broken.push(`L1: the task says ${said}, its journal ${state}`);
  if (said !== "resumable" && said !== "idle") broken.push(`L11: it is ${said} after it was opened`);
  if (!sameRows(rowsOf(task), rows)) broken.push("L2: the journal folds to other rows than the task has");
  const open = rows.filter(isOpenAsk);
  const last = rows.at(-1)?.ask;
  if (open.length !== 1 || (last !== "resume_task" && last !== "resume_completed_task"))
    broken.push(`L11: ${open.length} asks are open and the last row is ${last}: expected one resume ask`);
  if (task.asks.length !== 1 || task.asks[0]?.kind !== last)
    broken.push("L8: the resume ask can't be answered");
  broken.push(...saysWhatIsUncertain(found, rows));
  return broken;
}

/** L12: each effect that was started and has no end is said to be uncertain once, and no other. */
export function saysWhatIsUncertain(
  found: readonly PlainRecord[],
  rows: ReturnType<typeof fold>["rows"],
): readonly string[] {
  const told = rows
    .filter(({ say, text }) => say === "error" && text?.includes(UNCERTAIN))
    .map(({ callId }) => callId);
  const old = fold(found).rows.filter(({ say, text }) => say === "error" && text?.includes(UNCERTAIN));
  const due = startedIn(found).filter(({ ended }) => !ended);
  const expected = [...old.map(({ callId }) => callId), ...due.map(({ callId }) => callId)];
  return told.toSorted().join() === expected.toSorted().join()
    ? []
    : [`L12: told as uncertain: ${told.join()}; started and without an end: ${expected.join()}`];
}

/** The effects that an earlier recovery told as uncertain, which were started by then and had no end (L12). */
function toldBefore(records: readonly PlainRecord[], broken: string[]): readonly Started[] {
  return records.flatMap(({ log, seq }, index) =>
    log.flatMap(({ message }) => {
      if (message?.say !== "error" || !String(message.text).includes(UNCERTAIN)) return [];
      const due = startedIn(records.slice(0, index)).filter(
        ({ callId, ended }) => callId === message.callId && !ended,
      );
      if (due.length !== 1)
        broken.push(`L12: record ${seq} tells as uncertain what had its end, or never began`);
      return due;
    }),
  );
}

const UNCERTAIN = "is uncertain";
const NEVER_RAN = /The task was interrupted before this tool call|was skipped|was not executed/;

const bodySchema = z.object({ messages: z.array(entrySchema) });

/** L6 of everything that was sent, and L12 by the counter: each effect at most once, and once where it has a result. */
async function settledEffects(
  { mock, place }: Scene,
  family: FamilyRecords,
  uncertain: readonly string[],
): Promise<readonly string[]> {
  const histories = mock.requests.map(({ body }) => bodySchema.parse(body).messages as readonly Entry[]);
  const counts = await countedIn(place.workspace);
  const results = [...family.values()].flatMap((records) => resultsIn(records.flatMap(blocksOf)));
  const known = new Set(results.map(({ name }) => name));
  const starts = [...family.values()].flatMap(startedIn).map(({ name }) => name);
  return [
    ...histories.flatMap((history, index) =>
      validateHistory(history).map(({ fault, message }) => `L6: request ${index}: ${message} (${fault})`),
    ),
    ...[...counts].flatMap(([name, count]) => (count > 1 ? [`L12: ${name} ran ${count} times`] : [])),
    ...results.flatMap(({ name, result }) => wrongResult(name, result, counts.get(name) ?? 0, uncertain)),
    ...[...counts.keys()].flatMap((name) => (known.has(name) ? [] : [`L12: ${name} ran and has no result`])),
    ...starts.flatMap((name, at) => (starts.indexOf(name) < at ? [`L12: ${name} was started twice`] : [])),
  ];
}

function wrongResult(
  name: string,
  result: string,
  count: number,
  uncertain: readonly string[],
): readonly string[] {
  const words = result.slice(0, 80);
  const isUncertain = result.includes(UNCERTAIN);
  if (isUncertain !== uncertain.includes(name)) return [`L12: the model was told of ${name}: ${words}`];
  if (isUncertain || count === (NEVER_RAN.test(result) ? 0 : 1)) return [];
  return [`L12: ${name} ran ${count} times, and its result is: ${words}`];
}

/** The words that each counted effect's result has in a conversation. */
function resultsIn(
  blocks: readonly PlainBlock[],
): readonly { readonly name: string; readonly result: string }[] {
  return usesIn(blocks).map(({ id, name }) => {
    const result = blocks.find((block) => block.type === "tool_result" && block.tool_use_id === id);
    return { name, result: JSON.stringify(result?.content ?? "") };
  });
}
