import { createWriteStream, mkdirSync } from "node:fs";
import path from "node:path";
import { MessageProcessor, StateStore, TypedEventEmitter } from "../../client/index.ts";
import { type ClineMessage, type LogEvent, positionOf } from "../../machines/message/index.ts";
import type { TaskCommit } from "../../runtime/index.ts";

/** The most characters of one line. */
const LINE_MAX = 8_000;
const SECRETS =
  /\b(sk-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{16,}|AKIA[A-Z0-9]{12,}|Bearer\s+[\w.~+/-]{8,}=*)/g;

/** A log file for whoever looks for a defect. */
export interface DebugLog {
  readonly file: string;
  commit(shown: TaskCommit): void;
  say(text: string): void;
  close(): Promise<void>;
}

/**
 * A log beside the task's journal, readable by its owner only: each commit, with its time, and the lines that a client
 * of the task's messages writes (`[MessageProcessor] State update: {...}`). What looks like a key is masked.
 */
export function openDebugLog(folder: string, secrets: readonly string[]): DebugLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, "debug.log");
  const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
  // A log that can't be written must not end the run that it is about.
  stream.on("error", () => stream.destroy());
  const line = (text: string): void => {
    const masked = mask(text, secrets);
    const cut = masked.length > LINE_MAX ? `${masked.slice(0, LINE_MAX)} [cut]` : masked;
    if (!stream.destroyed) stream.write(`${cut}\n`);
  };
  const say = (text: string): void => {
    line(`${new Date().toISOString()} ${text}`);
  };
  const showClient = clientOf(line);
  return {
    file,
    say,
    commit: (shown) => {
      const { commit, seq, durable } = shown;
      const { before, after, cause, log, effects, reports } = commit;
      const facts = { seq, durable, cause, log, effects, reports };
      say(`${before} -> ${after} ${JSON.stringify(facts)}`);
      showClient(shown);
    },
    close: () =>
      new Promise((resolve) => {
        if (stream.destroyed) resolve();
        else stream.end(() => resolve());
      }),
  };
}

/** A client that only says what it understands. Text that merely grows means no other state: it isn't told. */
function clientOf(line: (text: string) => void): (shown: TaskCommit) => void {
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
      const rows = [...new Set(commit.log.flatMap(changedBy))].flatMap(
        (ts) => log.at(positionOf(log, ts)) ?? [],
      );
      for (const [index, clineMessage] of rows.entries())
        processor.processMessage(update(taskId, clineMessage, index < rows.length - 1));
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

/** The text without what is a secret, or looks like one. */
export function mask(text: string, secrets: readonly string[]): string {
  let masked = text.replace(SECRETS, "[masked]");
  for (const secret of secrets) if (secret !== "") masked = masked.replaceAll(secret, "[masked]");
  return masked;
}
