import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { map, merge, mergeMap, of } from "rxjs";
import { anthropic } from "../../adapters/index.ts";
import {
  type Ask,
  createHost,
  type Host,
  type Task,
  type TaskEnd,
  type TaskOptions,
} from "../../runtime/index.ts";
import type { JournalDriver } from "../../store/index.ts";
import { allowReadsInside, askAPerson, firstOf } from "../../tools/index.ts";
import { FILES } from "./scenario.ts";
import { countedTools } from "./tools.ts";

/** Where a task lives, and who plays its model. */
export interface Place {
  readonly dataDir: string;
  readonly workspace: string;
  /** Of the mock server. */
  readonly url: string;
}

/** A host in this place. Without a journal given it has the real one. */
export function hostIn({ dataDir }: Place, journal?: (taskId: string) => JournalDriver): Host {
  return createHost({ dataDir, ...(journal !== undefined && { journal }) });
}

/** The options that a task has each time it is opened. */
export function optionsIn({ workspace, url }: Place): TaskOptions {
  return {
    model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: url }),
    workspace,
    tools: countedTools(workspace),
    policy: firstOf(
      allowReadsInside(),
      ({ tool }) => (tool.name === "count" ? { kind: "allow", rule: "counting" } : { kind: "ask" }),
      askAPerson(),
    ),
    limits: { retryDelayMs: 5 },
  };
}

/**
 * Runs a task, or goes on with one, to its completion: approves what it and its subtask ask for, and accepts their
 * results.
 */
export async function live(host: Host, task: Task, prompt: string): Promise<TaskEnd> {
  const answers = merge(host.opened$, of(task))
    .pipe(mergeMap((member) => member.asks$.pipe(map((ask) => ({ ask, isChild: member !== task })))))
    .subscribe(({ ask, isChild }) => answer(ask, isChild));
  try {
    const end = await task.run(prompt);
    // The acceptance comes behind the rest.
    await task.flushed();
    return end;
  } finally {
    answers.unsubscribe();
  }
}

function answer(ask: Ask, isChild: boolean): void {
  if (ask.kind === "tool" || ask.kind === "command") ask.approve();
  if (ask.kind === "completion_result") ask.accept();
  if (ask.kind === "mistake_limit_reached") ask.proceed();
  // A subtask whose completion nobody had accepted when its process ended.
  if (ask.kind === "resume_completed_task" && isChild) ask.reply("Go on.");
}

/** A place of its own below `folder`, with the files that the task begins with. */
export async function placeIn(folder: string, url: string): Promise<Place> {
  const workspace = path.join(folder, "workspace");
  await mkdir(workspace, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(workspace, name), text);
  return { dataDir: path.join(folder, "data"), workspace, url };
}

/** The folder of a task's journal. */
export const journalFolder = ({ dataDir }: Pick<Place, "dataDir">, taskId: string): string =>
  path.join(dataDir, "tasks", taskId);
