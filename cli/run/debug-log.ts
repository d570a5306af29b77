import { createWriteStream } from "node:fs";
import path from "node:path";
import { MessageProcessor } from "../../client/roo/extension/message-processor.ts";
import { StateStore } from "../../client/roo/extension/state-store.ts";
import { TypedEventEmitter } from "../../client/roo/extension/typed-event-emitter.ts";
import { type LogEvent, positionOf } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { TaskCommit } from "../../runtime/task/task-view.ts";
import { createFolder } from "../../store/files/create-folder.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../store/files/data-folder.ts";

/** Maximum characters of a line. */
const LINE_MAX = 8_000;
const SECRETS =
  /\b(sk-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{16,}|AKIA[A-Z0-9]{12,}|Bearer\s+[\w.~+/-]{8,}=*)/g;

/** A log file for debugging. */
export interface DebugLog {
  readonly file: string;
  commit(shown: TaskCommit): void;
  write(text: string): void;
  close(): Promise<void>;
}

/**
 * Open a log next to the task's journal, readable by its owner only: each commit with its time, and the lines that a
 * client of the messages logs (`[MessageProcessor] State update: {...}`). Text that looks like a key is masked.
 */
export function openDebugLog(folder: string, secrets: readonly string[]): DebugLog {
  createFolder(folder, PRIVATE_FOLDER);
  const file = path.join(folder, "debug.log");
  const stream = createWriteStream(file, { flags: "a", mode: PRIVATE_FILE });
  // A log that can't be written must not end the run.
  stream.on("error", () => stream.destroy());
  const line = (text: string): void => {
    const masked = mask(text, secrets);
    const cut = masked.length > LINE_MAX ? `${masked.slice(0, LINE_MAX)} [cut]` : masked;
    if (!stream.destroyed) stream.write(`${cut}\n`);
  };
  const write = (text: string): void => {
    line(`${new Date().toISOString()} ${text}`);
  };
  const logMessages = createLoggingClient(line);
  return {
    file,
    write,
    commit: (shown) => {
      const { commit, seq, durable } = shown;
      const { before, after, cause, log, effects, reports } = commit;
      const details = { seq, durable, cause, log, effects, reports };
      write(`${before} -> ${after} ${JSON.stringify(details)}`);
      logMessages(shown);
    },
    close: () =>
      new Promise((resolve) => {
        if (stream.destroyed) resolve();
        else stream.end(() => resolve());
      }),
  };
}

/** A client that only logs. Streamed text is left out, as it changes no state. */
function createLoggingClient(line: (text: string) => void): (shown: TaskCommit) => void {
  const processor = new MessageProcessor(new StateStore(), new TypedEventEmitter(), {
    debug: true,
    emitAllStateChanges: false,
    log: line,
  });
  let mode: string | undefined;
  return ({ commit, snapshot: { context } }) => {
    const { taskId, log } = context;
    if (mode === undefined || commit.log.some(({ type }) => type === "log.replaced"))
      processor.processMessage({
        type: "state",
        state: { taskId, mode: context.mode, clineMessages: log.toArray() },
      });
    else {
      if (mode !== context.mode)
        processor.processMessage({ type: "state", state: { taskId, mode: context.mode } });
      const messages = [...new Set(commit.log.flatMap(changedBy))].flatMap(
        (ts) => log.at(positionOf(log, ts)) ?? [],
      );
      for (const [index, clineMessage] of messages.entries())
        processor.processMessage(update(taskId, clineMessage, index < messages.length - 1));
    }
    mode = context.mode;
  };
}

const update = (taskId: string, clineMessage: ClineMessage, more: boolean) =>
  ({ type: "messageUpdated", taskId, clineMessage, more }) as const;

function changedBy(event: LogEvent): readonly number[] {
  if (event.type === "message.appended") return [event.message.ts];
  return event.type === "message.amended" ? [event.ts] : [];
}

/** Mask the secrets in a text, and everything that looks like one. */
export function mask(text: string, secrets: readonly string[]): string {
  let masked = text.replace(SECRETS, "[masked]");
  for (const secret of secrets) if (secret !== "") masked = masked.replaceAll(secret, "[masked]");
  return masked;
}
