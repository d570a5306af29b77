import { toolsOf } from "../../actors/toolset.ts";
import { openWorkspace } from "../../adapters/workspace/workspace.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { JournalError } from "../../store/journal/error.ts";
import { type JournalTail, readJournal } from "../../store/journal/reader.ts";
import { builtinTools } from "../../tools/builtin/builtin-tools.ts";
import { formatError } from "../../tools/error.ts";
import type { HypotheticalPermissions } from "../../tools/judge/hypothetical.ts";
import {
  type ReplayEnvironment,
  type ReplayedCall,
  replayCall,
  type UnjudgedCall,
} from "../../tools/judge/replay.ts";
import { STANDARD_POLICY } from "../../tools/judge/standard-policy.ts";
import { createModes } from "../../tools/modes/modes.ts";
import { createRegistry } from "../../tools/registry.ts";
import { type DecidedCall, DecidedCalls } from "../../wire/journal/decided-calls.ts";
import type { HeaderRecord } from "../../wire/journal/record.ts";
import type { CommonTaskOptions } from "../options.ts";

/** The options of tasks by which their calls are judged. */
export type JudgingOptions = Pick<
  CommonTaskOptions,
  "tools" | "dynamicTools" | "permissions" | "modes" | "shell" | "sandbox"
>;

export interface ReplayOptions {
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
  readonly task: JudgingOptions;
  readonly tried: HypotheticalPermissions;
}

/** A task whose calls were judged again, or why it was skipped. */
export type ReplayedTask = { readonly taskId: string } & (
  | { readonly calls: readonly (ReplayedCall | UnjudgedCall)[] }
  | { readonly problem: string }
);

/** Whether the judge of these options takes rules of a session, and says what it would decide. */
export const canReplay = ({ permissions }: JudgingOptions): boolean =>
  (permissions?.judge ?? STANDARD_POLICY).explain !== undefined;

/**
 * Judge the calls of recorded tasks again, one journal after the other. The tasks may be open. A damaged journal is skipped.
 * The calls that a fork shares with its original are judged with the original, if that is one of the tasks.
 */
export async function* replayTasks(
  taskIds: Iterable<string>,
  options: ReplayOptions,
): AsyncGenerator<ReplayedTask, void> {
  const ids = new Set(taskIds);
  const isOwn: IsWanted = ({ record }, original) =>
    original === undefined || record > original.seq || !ids.has(original.taskId);
  for (const taskId of ids) {
    try {
      yield await replayTask(taskId, options, isOwn);
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      yield { taskId, problem: error.message };
    }
  }
}

/** Whether a call is judged. `original`: the original task of a fork, and the last record that both share. */
type IsWanted = (
  call: Pick<DecidedCall, "callId" | "record">,
  original: HeaderRecord["forkedFrom"],
) => boolean;

/**
 * Judge the calls of a recorded task again, in its workspace as it is now.
 *
 * @throws JournalError the codes of reading
 */
export async function replayTask(
  taskId: string,
  { journal, task, tried }: ReplayOptions,
  isWanted: IsWanted = () => true,
): Promise<ReplayedTask> {
  const read = new DecidedCalls();
  const tails: JournalTail[] = [];
  let header: HeaderRecord | undefined;
  for await (const record of readJournal(journal(taskId), { onTail: (tail) => tails.push(tail) })) {
    if (record.kind === "header") header = record;
    read.read(record);
  }
  const damage = tails.find(({ kind }) => kind === "damaged");
  if (damage !== undefined) return { taskId, problem: `line ${damage.line}: ${damage.reason}` };
  const environment = await environmentOf(task, header);
  const calls = read.found().filter((call) => isWanted(call, header?.forkedFrom));
  const replayed: (ReplayedCall | UnjudgedCall)[] = [];
  for (const call of calls)
    replayed.push(
      typeof environment === "string"
        ? { kind: "unjudged", callId: call.callId, reason: environment }
        : await replayCall(call, tried, environment),
    );
  return { taskId, calls: replayed };
}

/** The environment of the calls of a task, or why there is none. */
async function environmentOf(
  { tools = builtinTools(), dynamicTools, permissions, modes, shell, sandbox }: JudgingOptions,
  header: HeaderRecord | undefined,
): Promise<ReplayEnvironment | string> {
  const { explain } = permissions?.judge ?? STANDARD_POLICY;
  if (explain === undefined) return "the judge of the task does not explain its verdicts";
  if (header?.workspace === undefined) return "its task has no workspace";
  try {
    return {
      explain,
      registry: createRegistry(toolsOf({ tools, dynamicTools, intents: undefined, resultTool: undefined })),
      modes: createModes(modes),
      workspace: await openWorkspace(header.workspace),
      ...(shell?.path !== undefined && { shell: shell.path }),
      isSubtask: header.parent !== undefined,
      isContained: sandbox?.allowCommands === true,
    };
  } catch (error) {
    return `the workspace of its task can't be opened: ${formatError(error)}`;
  }
}
