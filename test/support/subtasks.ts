import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { filter, firstValueFrom, type Observable, of, switchMap, take } from "rxjs";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import {
  type Ask,
  createHost,
  type Host,
  type ReopenOptions,
  type Task,
  type TaskCommit,
} from "../../runtime/index.ts";
import { fileJournal } from "../../store/index.ts";
import { allowEverything, builtinTools, defineTool, type Tool } from "../../tools/index.ts";
import { openRig, type Rig, type RigOptions } from "./host.ts";
import { LawMonitor } from "./laws.ts";

/** What the model says in a mode: first, after the result of `after`, and once the user says `to`. */
interface Step {
  readonly mode: string;
  readonly after?: string;
  readonly to?: string;
  /** The turn, in the script's own form. */
  readonly says: string;
}

/** A script in which each task of a family has its own turns, by its mode. The first step that fits is said. */
export const familyScript = (...steps: readonly Step[]): string => `rules:\n${steps.map(ruleOf).join("\n")}`;

function ruleOf({ mode, after, to, says }: Step): string {
  const words = to === undefined ? "" : `${to}.*`;
  const tool = after === undefined ? "" : `, tool: ${after}`;
  return `  - { when: { user: '${words}Current mode\\s+${mode}\\b'${tool} }, turns: [${says}] }`;
}

export const subtask = (mode: string, message = `Work in ${mode}.`): string =>
  `{ tool: new_task, input: { mode: ${mode}, message: "${message}", todos: null } }`;
export const completes = (result: string): string =>
  `{ tool: attempt_completion, input: { result: ${result} } }`;
export const NOTE = "{ tool: note, input: {} }";
export const QUESTION =
  "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";

/** An effect that can be counted, and must not be repeated. */
export class Notes {
  count = 0;
  readonly tool: Tool = defineTool({
    name: "note",
    description: "Notes.",
    input: z.object({}),
    effect: "executes",
    run: () => {
      this.count += 1;
      return "noted";
    },
  });
}

/** A rig whose policy allows all that it can. */
export function openFamily(
  script: string,
  { tools = [], ...options }: Omit<RigOptions, "script"> = {},
): Promise<Rig> {
  return openRig({
    script,
    policy: allowEverything(),
    ...options,
    tools: [...builtinTools(), ...tools],
  });
}

/** The task of this id, once it is open in the host. */
export async function member(host: Host, id: string): Promise<Task> {
  return host.tasks.get(id) ?? firstValueFrom(host.opened$.pipe(filter((task) => task.id === id)));
}

/** An ask of this kind, of any task of the host. */
export function askOf<K extends Ask["kind"]>(
  host: Host,
  taskId: string,
  kind: K,
): Promise<Ask & { readonly kind: K }> {
  const asks: Observable<Ask> = memberOf(host, taskId).pipe(switchMap((task) => task.asks$));
  return firstValueFrom(asks.pipe(filter((ask): ask is Ask & { readonly kind: K } => ask.kind === kind)));
}

/** The first commit of this task that fits: told at once, before anything else hears of it. */
export function atCommit(
  host: Host,
  taskId: string,
  fits: (shown: TaskCommit) => boolean,
): Promise<TaskCommit> {
  return firstValueFrom(
    memberOf(host, taskId).pipe(
      switchMap((task) => task.events$),
      filter(fits),
    ),
  );
}

const memberOf = (host: Host, id: string): Observable<Task> => {
  const open = host.tasks.get(id);
  return open !== undefined
    ? of(open)
    : host.opened$.pipe(
        filter((task) => task.id === id),
        take(1),
      );
};

/** What the parent was told of its subtasks, row by row. */
export const resultsTold = (task: Task): readonly string[] =>
  task.log
    .toArray()
    .filter(({ say }) => say === "subtask_result")
    .map(({ text }) => text ?? "");

export interface Copy {
  readonly host: Host;
  readonly task: Task;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The files of a rig as they are now, as a process that ends now would leave them. */
export class Crash {
  readonly base = mkdtempSync(path.join(tmpdir(), "crash-"));
  readonly #rig: Rig;

  /** Copies at once: what is decided from now on is not in it. */
  constructor(rig: Rig) {
    this.#rig = rig;
    const isKept = (file: string): boolean => path.basename(file) !== "lock";
    cpSync(rig.dataDir, path.join(this.base, "data"), { recursive: true, filter: isKept });
    cpSync(rig.dir, path.join(this.base, "workspace"), { recursive: true });
  }

  /** Opens the task in another host, as a new process would. Its laws are watched. */
  async open(options: Partial<ReopenOptions> = {}): Promise<Copy> {
    const dataDir = path.join(this.base, "data");
    const watch = new LawMonitor({ pauses: false });
    const errors: unknown[] = [];
    const host = createHost({ dataDir, onError: (error) => errors.push(error) });
    host.opened$.subscribe((opened) => watch.follow(opened));
    const task = await host.open(this.#rig.task.id, {
      model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: this.#rig.mock?.url }),
      policy: allowEverything(),
      workspace: path.join(this.base, "workspace"),
      ...options,
      tools: [...builtinTools(), ...(options.tools ?? [])],
    });
    return {
      host,
      task,
      [Symbol.asyncDispose]: async () => {
        await host.closeAll();
        assert.deepEqual(errors, [], "the host was told of errors");
        for (const each of watch.tasks) {
          watch.assertHeld(each);
          await watch.journal(each, fileJournal({ dir: path.join(dataDir, "tasks", each.id) }));
        }
        rmSync(this.base, { recursive: true, force: true });
      },
    };
  }
}
