import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { filter, firstValueFrom, type Observable, of, switchMap, take } from "rxjs";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import type { ChatModel } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { CommonTaskOptions, HostOptions } from "../../runtime/options.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { fileJournal, type JournalDriver, MemoryStore, memoryJournal } from "../../store/index.ts";
import { allowEverything, builtinTools, defineTool, type Mode, type Tool } from "../../tools/index.ts";
import { openRig, type Rig, type RigOptions } from "./host.ts";
import { LawMonitor } from "./laws.ts";

/** A turn of the model in a mode: the first one, after a result of the tool `after`, or after the user text `to`. */
export interface Step {
  readonly mode: string;
  readonly after?: string;
  readonly to?: string;
  /** The turn in the format of the script. */
  readonly turn: string;
}

/** A script with separate turns for each task, by its mode. The first matching step applies. */
export const scriptByMode = (...steps: readonly Step[]): string => `rules:\n${steps.map(ruleOf).join("\n")}`;

/** A script whose root task takes these turns in order, then completes. Its subtasks have turns by mode. */
export const scriptOfRoot = (turns: readonly string[], ...steps: readonly Step[]): string =>
  [
    "rules:",
    `  - { when: { conversation: Do it }, turns: [${[...turns, completes("All done.")].join()}] }`,
    ...steps.map(ruleOf),
  ].join("\n");

function ruleOf({ mode, after, to, turn }: Step): string {
  const tool = after === undefined ? "" : `, tool: ${after}`;
  const when = `conversation: 'Current mode\\s+${mode}\\b', user: '${to ?? "."}'${tool}`;
  return `  - { when: { ${when} }, turns: [${turn}] }`;
}

export const subtask = (mode: string, message = `Work in ${mode}.`): string =>
  `{ tool: new_task, input: { mode: ${mode}, message: "${message}", todos: null } }`;
export const completes = (result: string): string =>
  `{ tool: attempt_completion, input: { result: ${result} } }`;
export const NOTE = "{ tool: note, input: {} }";
export const QUESTION =
  "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";

/** Modes that permit everything, one for each task of a script. */
export const MODES: readonly Mode[] = ["one", "two", "three"].map((slug) => ({
  slug,
  name: slug,
  role: "You work.",
  permissions: [{ group: "read" }, { group: "edit" }, { group: "command" }],
}));

/** A script for three nested tasks. The innermost asks a question. */
export const NESTED_SCRIPT = scriptByMode(
  { mode: "code", after: "new_task", turn: completes("All done.") },
  { mode: "code", turn: subtask("debug") },
  { mode: "debug", after: "new_task", turn: completes("One done.") },
  { mode: "debug", turn: subtask("ask") },
  { mode: "ask", to: "later", turn: completes("Later.") },
  { mode: "ask", after: "ask_followup_question", turn: completes("Two done.") },
  { mode: "ask", turn: QUESTION },
);

/** The journals of a tree in memory, with a store for each task. */
export function memoryJournals(): (taskId: string) => JournalDriver {
  const stores = new Map<string, MemoryStore>();
  return (taskId) => {
    const store = stores.get(taskId) ?? new MemoryStore();
    stores.set(taskId, store);
    return memoryJournal({ store });
  };
}

/** A tool that counts its runs. */
export class Notes {
  count = 0;
  readonly tool: Tool = defineTool({
    name: "note",
    description: "Notes.",
    inputSchema: z.object({}),
    effect: "executes",
    execute: () => {
      this.count += 1;
      return "noted";
    },
  });
}

/** Open a rig whose policy allows everything. */
export function openSubtaskRig(
  script: string,
  { tools = [], ...options }: Omit<RigOptions, "script"> = {},
): Promise<Rig> {
  return openRig({
    script,
    policy: allowEverything(),
    modes: MODES,
    ...options,
    tools: [...builtinTools(), ...tools],
  });
}

/** Wait until the task of this id is open in the host. */
export async function openedTask(host: Host, id: string): Promise<Task> {
  return host.tasks.get(id) ?? firstValueFrom(host.opened$.pipe(filter((task) => task.id === id)));
}

/** Wait for an ask of this kind of a task of the host. */
export function askOf<K extends Ask["kind"]>(
  host: Host,
  taskId: string,
  kind: K,
): Promise<Ask & { readonly kind: K }> {
  const asks: Observable<Ask> = taskById(host, taskId).pipe(switchMap((task) => task.asks$));
  return firstValueFrom(asks.pipe(filter((ask): ask is Ask & { readonly kind: K } => ask.kind === kind)));
}

/** Wait for the first matching commit of this task. */
export function atCommit(
  host: Host,
  taskId: string,
  fits: (shown: TaskCommit) => boolean,
): Promise<TaskCommit> {
  return firstValueFrom(
    taskById(host, taskId).pipe(
      switchMap((task) => task.events$),
      filter(fits),
    ),
  );
}

const taskById = (host: Host, id: string): Observable<Task> => {
  const open = host.tasks.get(id);
  return open !== undefined
    ? of(open)
    : host.opened$.pipe(
        filter((task) => task.id === id),
        take(1),
      );
};

/** The texts of the `subtask_result` messages of a task. */
export const subtaskResults = (task: Task): readonly string[] =>
  task.log
    .toArray()
    .filter(({ say }) => say === "subtask_result")
    .map(({ text }) => text ?? "");

export interface Copy {
  readonly host: Host;
  readonly task: Task;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A copy of a rig's files, as a process that crashes now leaves them. */
export class Crash {
  readonly base = mkdtempSync(path.join(tmpdir(), "crash-"));
  readonly #rig: Rig;

  /** Copies the files synchronously. */
  constructor(rig: Rig) {
    this.#rig = rig;
    const isKept = (file: string): boolean => path.basename(file) !== "lock";
    cpSync(rig.dataDir, path.join(this.base, "data"), { recursive: true, filter: isKept });
    cpSync(rig.dir, path.join(this.base, "workspace"), { recursive: true });
  }

  /** Opens the task in another host, as a new process does. Its laws are checked. */
  async open(
    { model, ...options }: Partial<CommonTaskOptions> & { readonly model?: ChatModel } = {},
    hostOptions: HostOptions = {},
  ): Promise<Copy> {
    const dataDir = path.join(this.base, "data");
    const monitor = new LawMonitor({ pauses: false });
    const errors: unknown[] = [];
    const host = createHost({
      dataDir,
      onError: (error) => errors.push(error),
      ...hostOptions,
    });
    host.opened$.subscribe((opened) => monitor.follow(opened));
    const task = await host.open(this.#rig.task.id, {
      model: model ?? anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: this.#rig.mock?.url }),
      permissions: { judge: allowEverything() },
      workspace: path.join(this.base, "workspace"),
      ...options,
      modes: MODES,
      tools: [...builtinTools(), ...(options.tools ?? [])],
    });
    return {
      host,
      task,
      [Symbol.asyncDispose]: async () => {
        await host.closeAll();
        assert.deepEqual(errors, [], "the host reported errors");
        for (const each of monitor.tasks) {
          monitor.assertHeld(each);
          // A task that was closed and opened again has a newer one.
          if (monitor.tasks.findLast(({ id }) => id === each.id) !== each) continue;
          await monitor.journal(each, fileJournal({ dir: path.join(dataDir, "tasks", each.id) }));
        }
        rmSync(this.base, { recursive: true, force: true });
      },
    };
  }
}
