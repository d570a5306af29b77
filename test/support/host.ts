import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { filter, firstValueFrom } from "rxjs";
import { type AnthropicOptions, anthropic } from "../../adapters/index.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import type { ChatModel } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { CommonTaskOptions, HostOptions, PermissionOptions, TaskModels } from "../../runtime/options.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { fileJournal, type JournalDriver, memoryJournal } from "../../store/index.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import type { MockOptions, MockRequest } from "../../testing/mock/server/record.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import type { EditorPort, Policy } from "../../tools/index.ts";
import type { TemporalPolicy } from "../../tools/temporal/policy.ts";
import { entrySchema } from "../../wire/entry.ts";
import { LawMonitor } from "./laws.ts";

/** The permissions of a task, each by a name of its own. */
export interface RigPermissions {
  /** The judge. */
  readonly policy?: Policy | undefined;
  readonly policies?: readonly TemporalPolicy[] | undefined;
  readonly permissions?: PermissionOptions;
}

/** The options for these permissions. */
export const permissionsIn = ({ policy, policies, permissions }: RigPermissions): PermissionOptions => ({
  ...permissions,
  ...(policy !== undefined && { judge: policy }),
  ...(policies !== undefined && { policies }),
});

export interface RigOptions
  extends Partial<Omit<CommonTaskOptions, "workspace" | "permissions">>,
    RigPermissions {
  readonly model?: ChatModel;
  /** The other models. */
  readonly models?: Omit<TaskModels, "default">;
  /** The script of the mock server. Without one, `model` is required. */
  readonly script?: string;
  /** Options of the mock server. */
  readonly mock?: MockOptions;
  /** Options of the Anthropic model. */
  readonly anthropic?: Partial<AnthropicOptions>;
  /** The model to use in place of the one of `model` or `script`. */
  readonly wrap?: (model: ChatModel) => ChatModel;
  /** The initial files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  /** Creates the editor that has the workspace open. Default: none. */
  readonly editor?: (dir: string) => EditorPort;
  /** Default: `"file"`. */
  readonly journal?: "file" | "memory" | ((taskId: string) => JournalDriver);
  readonly host?: HostOptions;
  /** Whether some turns of the model pause: then a request may end with an assistant entry. */
  readonly pauses?: boolean;
  /** Whether the host may report errors. Otherwise an error fails the test. */
  readonly mayReportErrors?: boolean;
}

/** A host with one task, a workspace and a journal. The laws are checked, also of subtasks, until it is disposed of. */
export interface Rig {
  readonly host: Host;
  readonly task: Task;
  /** The model of the task. */
  readonly model: ChatModel;
  readonly mock: MockServer | undefined;
  /** The workspace. */
  readonly dir: string;
  readonly dataDir: string;
  /** Every published commit. */
  readonly shown: readonly TaskCommit[];
  /** The errors passed to the host's `onError`. */
  readonly errors: readonly unknown[];
  /** The conversations sent to the mock server, oldest first; without a server, those sent to the model. */
  sent(): readonly (readonly Entry[])[];
  /** The next published commit that matches. */
  until(fits: (shown: TaskCommit) => boolean): Promise<TaskCommit>;
  /** The open ask of this kind, or the next one. */
  ask<K extends Ask["kind"]>(kind: K): Promise<Ask & { readonly kind: K }>;
  /** The text of a file in the workspace. */
  file(name: string): Promise<string>;
  /** Closes everything. @throws if a law was violated */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The common last turn of a script: the model completes the task. */
export const DONE = "{ tool: attempt_completion, input: { result: Done. } }";

/** A data URL of the smallest PNG. */
export const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Open a rig. Declare it with `await using`: its disposal asserts the laws. */
export async function openRig(options: RigOptions): Promise<Rig> {
  const {
    script,
    mock: mockOptions,
    anthropic: more,
    files,
    editor,
    journal = "file",
    host: hostOptions,
    ...rest
  } = options;
  const {
    pauses = false,
    mayReportErrors = false,
    wrap = (given) => given,
    model,
    models,
    policy,
    policies,
    permissions,
    ...taskOptions
  } = rest;
  const base = await mkdtemp(path.join(tmpdir(), "rig-"));
  const dir = path.join(base, "workspace");
  const dataDir = path.join(base, "data");
  await mkdir(dir);
  await writeFiles(dir, files ?? {});
  const mock = script === undefined ? undefined : await startMock(parseScript(script), mockOptions);
  const errors: unknown[] = [];
  const memory = memoryJournal();
  const host = createHost({
    ...(process.env.SIGNALBOX_PASSIVE === "1" && { maxResident: 0 }),
    dataDir,
    onError: (error) => errors.push(error),
    ...(journal === "memory" && { journal: () => memory }),
    ...(typeof journal === "function" && { journal }),
    ...hostOptions,
  });
  const monitor = new LawMonitor({ pauses });
  const shown: TaskCommit[] = [];
  host.opened$.subscribe((opened) => monitor.follow(opened));
  const asked: (readonly Entry[])[] = [];
  const chosenModel =
    model ?? anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock?.url, ...more });
  const task = await host.create({
    // A short retry delay, because tests wait for it.
    ...taskOptions,
    limits: { retryDelayMs: 10, ...taskOptions.limits },
    permissions: permissionsIn({ policy, policies, ...(permissions && { permissions }) }),
    models: {
      ...models,
      default: observed(wrap(chosenModel), (messages) => {
        asked.push(messages);
        monitor.request(messages);
      }),
    },
    workspace: editor === undefined ? dir : { root: dir, editor: editor(dir) },
  });
  task.events$.subscribe((commit) => shown.push(commit));
  const sent = () => mock?.requests.filter(isForMessage).map(({ body }) => conversationOf(body)) ?? asked;
  return {
    host,
    task,
    model: chosenModel,
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
        for (const messages of sent()) monitor.request(messages);
        const newest = new Map(monitor.tasks.map((each) => [each.id, each]));
        for (const each of journal === "file" ? newest.values() : [])
          await monitor.journal(each, fileJournal({ dir: path.join(dataDir, "tasks", each.id) }));
        for (const each of monitor.tasks) monitor.assertHeld(each);
        if (journal === "memory") await monitor.journal(task, memory);
        if (!mayReportErrors) assert.deepEqual(errors, [], "the host reported errors");
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

/** The model, with a listener for the messages of each request. */
function observed(model: ChatModel, onRequest: (messages: readonly Entry[]) => void): ChatModel {
  return {
    ...model,
    stream(request, signal) {
      onRequest(request.messages);
      return model.stream(request, signal);
    },
  };
}

/** Whether a request is for a response, not for a count of its tokens. */
const isForMessage = ({ path: requested }: MockRequest): boolean => requested === "/v1/messages";

/** The messages in the body of a request. */
function conversationOf(body: unknown): readonly Entry[] {
  assert.ok(typeof body === "object" && body !== null && "messages" in body && Array.isArray(body.messages));
  return body.messages.map((message: object) => entrySchema.parse(withOpaque(message)) as Entry);
}

const INTERPRETED = new Set(["text", "image", "thinking", "redacted_thinking", "tool_use", "tool_result"]);

/** The message with its other blocks as a conversation has them. */
function withOpaque(message: { readonly content?: unknown }): unknown {
  if (!Array.isArray(message.content)) return message;
  const content = message.content.map((block: { readonly type: string }) =>
    INTERPRETED.has(block.type) ? block : { type: "opaque", block },
  );
  return { ...message, content };
}

/** The texts of the tool results in the newest entry, one per result. */
export function resultsOf(conversation: readonly Entry[]): readonly string[] {
  return (conversation.at(-1)?.content ?? []).flatMap((block) =>
    block.type === "tool_result" ? [block.content.map(textOf).join("\n")] : [],
  );
}

/** The texts of the newest entry, without the environment details. */
export function textsOf(conversation: readonly Entry[]): readonly string[] {
  const texts = (conversation.at(-1)?.content ?? []).flatMap((block) =>
    block.type === "text" ? [block.text] : [],
  );
  return texts.filter((text) => !text.startsWith("<environment_details>"));
}

const textOf = (block: { type: string; text?: unknown }): string =>
  block.type === "text" ? String(block.text) : `[${block.type}]`;

/** Create a named pipe in `dir`. Resolves when no process holds it open; a command opens it by `exec 9>NAME`. */
export function writersGone(dir: string, name = "alive"): Promise<Buffer> {
  const pipe = path.join(dir, name);
  execFileSync("mkfifo", [pipe]);
  return readFile(pipe);
}

/** The kind and closing of each message of a log. */
export function messagesOf(task: Task): readonly string[] {
  return task.log.toArray().map(({ type, ask, say, closing }) => {
    const suffix = closing === undefined ? "" : ` (${closing})`;
    return `${type}:${ask ?? say}${suffix}`;
  });
}
