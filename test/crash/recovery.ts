import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { Entry } from "../../machines/conversation/entry.ts";
import { validateConversation } from "../../machines/conversation/validate.ts";
import type { Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { MockServer } from "../../testing/mock/server/server.ts";
import { entrySchema } from "../../wire/entry.ts";
import { blocksOf, countedIn, type Started, startedIn, usesIn } from "./effects.ts";
import { fold, isOpenAsk } from "./fold.ts";
import { hookViolations } from "./hooks.ts";
import { type PlainBlock, type PlainRecord, recordsOf } from "./records.ts";
import { CHILD_ID, CHILD_RESULT, PROMPT, RESULT, TASK_ID, WRITTEN } from "./scenario.ts";
import { optionsIn, type Place, runToEnd } from "./scenario-run.ts";

/** The environment of a recovery. */
export interface Scene {
  readonly place: Place;
  /** A new host over the same journals. */
  readonly host: () => Host;
  /** Read the journal of a task. */
  readonly journal: (taskId: string) => Promise<Buffer>;
  /** The mock server of this task and its subtask alone. */
  readonly mock: MockServer;
}

/** The result of a recovery. */
export interface Recovery {
  /** The violations of laws, with their positions. */
  readonly broken: readonly string[];
  /** The last state in the journal before the recovery. */
  readonly from: string;
  /** How many effects are uncertain. */
  readonly uncertain: number;
}

const TASKS = [TASK_ID, CHILD_ID];

/**
 * Open a task, run it until it is complete, check the laws, and count the effects of the task and its subtask. Checks use
 * only the files and the requests to the server.
 */
export async function recover(scene: Scene): Promise<Recovery> {
  const found = await recordsByTask(scene);
  const before = fold(found.get(TASK_ID) ?? []);
  const broken = [...found.values()].flatMap((records) => fold(records).broken);
  const started = [...found.values()].flatMap(startedIn);
  const known = new Set(started.map(({ name }) => name));
  for (const name of (await countedIn(scene.place.workspace)).keys())
    if (!known.has(name)) broken.push(`L11: ${name} ran without a recorded start`);

  const records = found.get(TASK_ID) ?? [];
  const end =
    before.messages.length === 0
      ? await restart(scene, records.length > 0)
      : await reopen(scene, records, broken);
  if (end.result !== RESULT) broken.push(`the task ended with ${JSON.stringify(end)}`);

  const after = await recordsByTask(scene);
  broken.push(...[...after.values()].flatMap((each) => fold(each).broken));
  broken.push(...uncertaintyViolations(found.get(CHILD_ID) ?? [], fold(after.get(CHILD_ID) ?? []).messages));
  broken.push(...subtaskViolations(after));
  if (scene.place.hooks) broken.push(...[...after.values()].flatMap(hookViolations));
  const uncertain = started.filter(({ ended }) => !ended);
  // After a second crash, the reports of the first recovery still count.
  const earlier = [...found.values()].flatMap((each) => reportedBefore(each, broken));
  const names = [...earlier, ...uncertain].map(({ name }) => name);
  broken.push(...(await effectViolations(scene, after, names)));
  broken.push(...(await amendmentViolations(scene.place)));
  return { broken, from: before.state, uncertain: uncertain.length };
}

type TaskRecords = ReadonlyMap<string, readonly PlainRecord[]>;

async function recordsByTask({ journal }: Scene): Promise<TaskRecords> {
  const records = new Map<string, readonly PlainRecord[]>();
  for (const taskId of TASKS) records.set(taskId, recordsOf(await journal(taskId)));
  return records;
}

type End = Awaited<ReturnType<typeof runToEnd>>;

/** Start the task again with the same id: it crashed before the first message was durable. */
async function restart({ place, host: newHost }: Scene, hasHeader: boolean): Promise<End> {
  const host = newHost();
  const options = optionsIn(place);
  const task = await (hasHeader ? host.open(TASK_ID, options) : host.create({ ...options, id: TASK_ID }));
  const end = await runToEnd(host, task, PROMPT);
  await host.closeAll();
  return end;
}

async function reopen(scene: Scene, found: readonly PlainRecord[], broken: string[]): Promise<End> {
  const { place } = scene;
  const first = scene.host();
  const task = await first.open(TASK_ID, optionsIn(place));
  const bytes = await scene.journal(TASK_ID);
  broken.push(...settlingViolations(task, found, recordsOf(bytes)));
  await first.closeAll();
  const second = scene.host();
  const again = await second.open(TASK_ID, optionsIn(place));
  const more = recordsOf((await scene.journal(TASK_ID)).subarray(bytes.length));
  if (more.some(changesTask)) broken.push("L11: a second opening changed the task");
  if (JSON.stringify(messagesOf(again)) !== JSON.stringify(messagesOf(task)))
    broken.push("L11: a second opening changed the messages");
  const end = await runToEnd(second, again, "Go on.");
  const journal = fold(recordsOf(await scene.journal(TASK_ID)));
  if (!sameMessages(messagesOf(again), journal.messages))
    broken.push("L2: the journal and the task have different messages");
  await second.closeAll();
  return end;
}

/** L16: a delegated call has one result, the result of its subtask. */
function subtaskViolations(byTask: TaskRecords): readonly string[] {
  const records = byTask.get(TASK_ID) ?? [];
  const { messages } = fold(records);
  const delegated = new Set(
    records.flatMap(({ calls }) =>
      calls.flatMap(({ phase, callId }) => (phase === "delegated" ? [callId] : [])),
    ),
  );
  const results = messages.filter(({ say }) => say === "subtask_result");
  const broken = results.flatMap(({ text }) =>
    text === CHILD_RESULT ? [] : [`L16: the subtask's result is ${JSON.stringify(text)}`],
  );
  if (results.length !== delegated.size)
    broken.push(`L16: ${delegated.size} delegated calls have ${results.length} results`);
  if (delegated.size === 0 && (byTask.get(CHILD_ID)?.length ?? 0) > 0)
    broken.push("L16: the subtask was started by no call");
  return broken;
}

/** Whether a record changes the task. Opening a settled task records only the opening. */
const changesTask = ({ log, conversation, calls, facts, queue }: PlainRecord): boolean =>
  log.length + conversation.length + calls.length > 0 || facts !== undefined || queue !== undefined;

/** L7: only what was approved is written, not what the model proposed. */
async function amendmentViolations({ workspace }: Place): Promise<readonly string[]> {
  const written = await readFile(path.join(workspace, WRITTEN.path), "utf8").catch(() => undefined);
  return written === undefined || written === WRITTEN.content
    ? []
    : [`L7: ${WRITTEN.path} has ${JSON.stringify(written)}, which was not approved`];
}

const messagesOf = (task: Task) => task.log.toArray();

const sameMessages = (task: readonly unknown[], journal: readonly unknown[]): boolean =>
  JSON.stringify(task.map(sorted)) === JSON.stringify(journal.map(sorted));

/** The message with sorted fields: their order means nothing. */
const sorted = (message: unknown): unknown =>
  Object.entries(z.record(z.string(), z.unknown()).parse(message)).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** L1-L5 and L8 of a task just opened: it is settled with one open ask, the resume ask. */
function settlingViolations(
  task: Task,
  found: readonly PlainRecord[],
  records: readonly PlainRecord[],
): readonly string[] {
  const folded = fold(records);
  const { messages } = folded;
  const broken = [...folded.broken];
  const { state } = task.state;
  if (state !== folded.state.split(".")[0])
    broken.push(`L1: the task's state is ${state}, its journal's ${folded.state}`);
  if (state !== "resumable" && state !== "idle") broken.push(`L11: the state after opening is ${state}`);
  if (!sameMessages(messagesOf(task), messages))
    broken.push("L2: the journal and the task have different messages");
  const open = messages.filter(isOpenAsk);
  const last = messages.at(-1)?.ask;
  if (open.length !== 1 || (last !== "resume_task" && last !== "resume_completed_task"))
    broken.push(`L11: ${open.length} asks are open and the last message is ${last}: expected one resume ask`);
  if (task.asks.length !== 1 || task.asks[0]?.type !== last)
    broken.push("L8: the resume ask can't be answered");
  broken.push(...uncertaintyViolations(found, messages));
  return broken;
}

/** L12: each started effect without an end, and no other, is reported as uncertain once. */
export function uncertaintyViolations(
  found: readonly PlainRecord[],
  messages: ReturnType<typeof fold>["messages"],
): readonly string[] {
  const isReport = ({ say, text }: (typeof messages)[number]) => say === "error" && text?.includes(UNCERTAIN);
  const idsOf = (of: readonly { readonly callId?: string | undefined }[]) => of.map(({ callId }) => callId);
  const reported = idsOf(messages.filter(isReport));
  const unended = startedIn(found).filter(({ ended }) => !ended);
  const expected = idsOf([...fold(found).messages.filter(isReport), ...unended]);
  return reported.toSorted().join() === expected.toSorted().join()
    ? []
    : [`L12: reported as uncertain: ${reported.join()}; started without an end: ${expected.join()}`];
}

/** The effects that an earlier recovery reported as uncertain: started before, without an end (L12). */
function reportedBefore(records: readonly PlainRecord[], broken: string[]): readonly Started[] {
  return records.flatMap(({ log, seq }, index) =>
    log.flatMap(({ message }) => {
      if (message?.say !== "error" || !String(message.text).includes(UNCERTAIN)) return [];
      const unended = startedIn(records.slice(0, index)).filter(
        ({ callId, ended }) => callId === message.callId && !ended,
      );
      if (unended.length !== 1)
        broken.push(`L12: record ${seq} reports an effect as uncertain that had ended or never started`);
      return unended;
    }),
  );
}

const UNCERTAIN = "is uncertain";
const NEVER_RAN =
  /The task was interrupted before this tool call|was skipped|was not executed|denied by the hook/;

const bodySchema = z.object({ messages: z.array(entrySchema) });

/** L6 of every request, and L12 by the counter file: at most one run of each effect, exactly one with a result. */
async function effectViolations(
  { mock, place }: Scene,
  byTask: TaskRecords,
  uncertain: readonly string[],
): Promise<readonly string[]> {
  const histories = mock.requests.map(({ body }) => bodySchema.parse(body).messages as readonly Entry[]);
  const counts = await countedIn(place.workspace);
  const results = [...byTask.values()].flatMap((records) => resultsIn(records.flatMap(blocksOf)));
  const known = new Set(results.map(({ name }) => name));
  const starts = [...byTask.values()].flatMap(startedIn).map(({ name }) => name);
  return [
    ...histories.flatMap((history, index) =>
      validateConversation(history).map(
        ({ fault, message }) => `L6: request ${index}: ${message} (${fault})`,
      ),
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
  const excerpt = result.slice(0, 80);
  const isUncertain = result.includes(UNCERTAIN);
  if (isUncertain !== uncertain.includes(name))
    return [`L12: wrong result of ${name} for the model: ${excerpt}`];
  if (isUncertain || count === (NEVER_RAN.test(result) ? 0 : 1)) return [];
  return [`L12: ${name} ran ${count} times, but its result is: ${excerpt}`];
}

/** The tool result of each counted effect in a conversation. */
function resultsIn(
  blocks: readonly PlainBlock[],
): readonly { readonly name: string; readonly result: string }[] {
  return usesIn(blocks).map(({ id, name }) => {
    const result = blocks.find((block) => block.type === "tool_result" && block.tool_use_id === id);
    return { name, result: JSON.stringify(result?.content ?? "") };
  });
}
