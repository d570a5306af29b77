import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { map, merge, mergeMap, of } from "rxjs";
import { anthropic } from "../../adapters/index.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { TaskOptions } from "../../runtime/options.ts";
import type { ApprovalAsk, Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskEnd } from "../../runtime/task/task-end.ts";
import type { JournalDriver } from "../../store/index.ts";
import { allowReadsInside, askAPerson, firstOf } from "../../tools/index.ts";
import { HOOKS } from "./hooks.ts";
import { FILES, WRITTEN } from "./scenario.ts";
import { countedTools } from "./tools.ts";

/** The folders of a task and the URL of its model. */
export interface Place {
  readonly dataDir: string;
  readonly workspace: string;
  /** The URL of the mock server. */
  readonly url: string;
  /** Whether the task has hooks. */
  readonly hooks: boolean;
}

/** Create a host in this place, by default with the file journal. */
export function hostIn({ dataDir }: Place, journal?: (taskId: string) => JournalDriver): Host {
  return createHost({ dataDir, ...(journal !== undefined && { journal }) });
}

/** The options of the task, the same each time it is opened. */
export function optionsIn({ workspace, url, hooks }: Place): TaskOptions {
  return {
    model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: url }),
    workspace,
    tools: countedTools(workspace),
    permissions: {
      judge: firstOf(
        allowReadsInside(),
        ({ tool }) => (tool.name === "count" ? { kind: "allow", rule: "counting" } : { kind: "ask" }),
        askAPerson(),
      ),
    },
    limits: { retryDelayMs: 5 },
    ...(hooks && { hooks: HOOKS }),
  };
}

/**
 * Run or resume a task until it is complete: approve all asks of the task and its subtask, the write of a file with an
 * amendment, and accept their results.
 */
export async function runToEnd(host: Host, task: Task, prompt: string): Promise<TaskEnd> {
  const answers = merge(host.opened$, of(task))
    .pipe(mergeMap((each) => each.asks$.pipe(map((ask) => ({ ask, isChild: each !== task })))))
    .subscribe(({ ask, isChild }) => answer(ask, isChild));
  try {
    const end = await task.run(prompt);
    // Wait until the acceptance is written too.
    await task.flushed();
    return end;
  } finally {
    answers.unsubscribe();
  }
}

function answer(ask: Ask, isChild: boolean): void {
  if (ask.kind === "tool" || ask.kind === "command")
    ask.approve(isWrite(ask) ? { amendment: { content: WRITTEN.content } } : {});
  if (ask.kind === "completion") ask.approve();
  if (ask.kind === "mistakes") ask.approve();
  // The process ended before the completion of the subtask was accepted.
  if (ask.kind === "resume_completed" && isChild) ask.answer("Go on.");
}

const isWrite = ({ proposal }: ApprovalAsk): boolean =>
  proposal?.kind === "file" && proposal.path === WRITTEN.path;

/** Create a place in `folder` with the initial files of the workspace. */
export async function placeIn(folder: string, url: string, hooks = false): Promise<Place> {
  const workspace = path.join(folder, "workspace");
  await mkdir(workspace, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(workspace, name), text);
  return { dataDir: path.join(folder, "data"), workspace, url, hooks };
}

/** The folder of a task's journal. */
export const journalFolder = ({ dataDir }: Pick<Place, "dataDir">, taskId: string): string =>
  path.join(dataDir, "tasks", taskId);
