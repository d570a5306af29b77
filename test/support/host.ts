import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { filter, firstValueFrom } from "rxjs";
import type { ChatModel } from "../../actors/index.ts";
import { type AnthropicOptions, anthropic } from "../../adapters/index.ts";
import type { Entry } from "../../machines/conversation/index.ts";
import {
  type Ask,
  createHost,
  type Host,
  type HostOptions,
  type Task,
  type TaskCommit,
  type TaskOptions,
} from "../../runtime/index.ts";
import { fileJournal, type JournalDriver, memoryJournal } from "../../store/index.ts";
import { type MockServer, parseScript, startMock } from "../../testing/mock/index.ts";
import { entrySchema } from "../../wire/index.ts";
import { LawMonitor } from "./laws.ts";

export interface RigOptions extends Partial<Omit<TaskOptions, "workspace">> {
  /** What the mock server answers. Without one, `model` is needed. */
  readonly script?: string;
  /** More options of the real SDK's model. */
  readonly anthropic?: Partial<AnthropicOptions>;
  /** What lies in the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Default: real files. */
  readonly journal?: "file" | "memory" | ((taskId: string) => JournalDriver);
  readonly host?: HostOptions;
  /** Some of the model's turns are paused: then a request may end with the assistant's entry. */
  readonly pauses?: boolean;
  /** The gate may tell of errors. Otherwise any is a failure of the test. */
  readonly mayTellErrors?: boolean;
}

/** A host with one task, over a workspace and a journal of its own. The laws are watched, of subtasks too, until it is disposed of. */
export interface Rig {
  readonly host: Host;
  readonly task: Task;
  readonly mock: MockServer | undefined;
  /** The workspace. */
  readonly dir: string;
  readonly dataDir: string;
  /** Every commit that was shown. */
  readonly shown: readonly TaskCommit[];
  /** What the host was told of and could tell nobody else. */
  readonly errors: readonly unknown[];
  /** The histories that the mock server got, oldest first; without a server, those that the model was asked. */
  sent(): readonly (readonly Entry[])[];
  /** The next shown commit that fits. */
  until(fits: (shown: TaskCommit) => boolean): Promise<TaskCommit>;
  /** The open ask of this kind, or the next one. */
  ask<K extends Ask["kind"]>(kind: K): Promise<Ask & { readonly kind: K }>;
  /** The text of a file in the workspace. */
  file(name: string): Promise<string>;
  /** Closes everything. @throws where a law was broken */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The common end of a script: the model says that it is done. */
export const DONE = "{ tool: attempt_completion, input: { result: Done. } }";

/** A data URL of the smallest PNG. */
export const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A rig. Give it to `await using`: its laws are checked as it goes. */
export async function openRig(options: RigOptions): Promise<Rig> {
  const { script, anthropic: more, files, journal = "file", host: hostOptions, ...rest } = options;
  const { pauses = false, mayTellErrors = false, model, ...taskOptions } = rest;
  const base = await mkdtemp(path.join(tmpdir(), "rig-"));
  const dir = path.join(base, "workspace");
  const dataDir = path.join(base, "data");
  await mkdir(dir);
  await writeFiles(dir, files ?? {});
  const mock = script === undefined ? undefined : await startMock(parseScript(script));
  const errors: unknown[] = [];
  const memory = memoryJournal();
  const host = createHost({
    dataDir,
    onError: (error) => errors.push(error),
    ...(journal === "memory" && { journal: () => memory }),
    ...(typeof journal === "function" && { journal }),
    ...hostOptions,
  });
  const watch = new LawMonitor({ pauses });
  const shown: TaskCommit[] = [];
  host.opened$.subscribe((opened) => watch.follow(opened));
  const asked: (readonly Entry[])[] = [];
  const spoken =
    model ?? anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock?.url, ...more });
  const task = await host.create({
    // A request that fails is tried again soon: a test waits for it.
    ...taskOptions,
    limits: { retryDelayMs: 10, ...taskOptions.limits },
    model: heard(spoken, (history) => {
      asked.push(history);
      watch.request(history);
    }),
    workspace: dir,
  });
  task.events$.subscribe((commit) => shown.push(commit));
  const sent = () => mock?.requests.map(({ body }) => historyOf(body)) ?? asked;
  return {
    host,
    task,
    mock,
    dir,
    dataDir,
    shown,
    errors,
    sent,
    until: (fits) => firstValueFrom(task.events$.pipe(filter(fits))),
    ask: (kind) => firstValueFrom(task.asks$.pipe(filter((ask) => isOf(ask, kind)))),
    file: (name) => readFile(path.join(dir, name), "utf8"),
    async [Symbol.asyncDispose]() {
      try {
        await host.closeAll();
        for (const history of sent()) watch.request(history);
        const newest = new Map(watch.tasks.map((each) => [each.id, each]));
        for (const each of journal === "file" ? newest.values() : [])
          await watch.journal(each, fileJournal({ dir: path.join(dataDir, "tasks", each.id) }));
        for (const each of watch.tasks) watch.assertHeld(each);
        if (journal === "memory") await watch.journal(task, memory);
        if (!mayTellErrors) assert.deepEqual(errors, [], "the host was told of errors");
      } finally {
        await mock?.close();
        await rm(base, { recursive: true, force: true });
      }
    },
  };
}

function isOf<K extends Ask["kind"]>(ask: Ask, kind: K): ask is Ask & { readonly kind: K } {
  return ask.kind === kind;
}

async function writeFiles(dir: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
  }
}

/** The same model, with somebody who listens to what it is asked. */
function heard(model: ChatModel, listen: (history: readonly Entry[]) => void): ChatModel {
  return {
    id: model.id,
    stream(request, signal) {
      listen(request.messages);
      return model.stream(request, signal);
    },
  };
}

/** The history in the body of a request, as it went over the wire. */
function historyOf(body: unknown): readonly Entry[] {
  assert.ok(typeof body === "object" && body !== null && "messages" in body && Array.isArray(body.messages));
  return body.messages.map((message: unknown) => entrySchema.parse(message) as Entry);
}

/** What stands in the results of a history's newest entry: one text a result. */
export function resultsOf(history: readonly Entry[]): readonly string[] {
  return (history.at(-1)?.content ?? []).flatMap((block) =>
    block.type === "tool_result" ? [block.content.map(wordsOf).join("\n")] : [],
  );
}

/** The texts of a history's newest entry, without the environment's details. */
export function textsOf(history: readonly Entry[]): readonly string[] {
  const texts = (history.at(-1)?.content ?? []).flatMap((block) =>
    block.type === "text" ? [block.text] : [],
  );
  return texts.filter((text) => !text.startsWith("<environment_details>"));
}

const wordsOf = (block: { type: string; text?: unknown }): string =>
  block.type === "text" ? String(block.text) : `[${block.type}]`;

/** A named pipe in `dir`. Resolves when no process holds it any more; a command takes hold of it by `exec 9>NAME`. */
export function writersGone(dir: string, name = "alive"): Promise<Buffer> {
  const pipe = path.join(dir, name);
  execFileSync("mkfifo", [pipe]);
  return readFile(pipe);
}

/** A row in short, for whole logs in one look. */
export function rowsOf(task: Task): readonly string[] {
  return task.log.toArray().map((row) => {
    const closing = row.closing === undefined ? "" : ` (${row.closing})`;
    return `${row.type}:${row.ask ?? row.say}${closing}`;
  });
}
