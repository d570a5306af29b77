import { createWriteStream, mkdirSync } from "node:fs";
import path from "node:path";
import type { TaskCommit } from "../../client/index.ts";

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

/** A log beside the task's journal, readable by its owner only. What looks like a key is masked. */
export function openDebugLog(folder: string, secrets: readonly string[]): DebugLog {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, "debug.log");
  const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
  // A log that can't be written must not end the run that it is about.
  stream.on("error", () => stream.destroy());
  const say = (text: string): void => {
    const masked = mask(text, secrets);
    const cut = masked.length > LINE_MAX ? `${masked.slice(0, LINE_MAX)} [cut]` : masked;
    if (!stream.destroyed) stream.write(`${new Date().toISOString()} ${cut}\n`);
  };
  return {
    file,
    say,
    commit: ({ commit, seq, durable }) => {
      const { before, after, cause, log, effects, reports } = commit;
      const facts = { seq, durable, cause, log, effects, reports };
      say(`${before} -> ${after} ${JSON.stringify(facts)}`);
    },
    close: () =>
      new Promise((resolve) => {
        if (stream.destroyed) resolve();
        else stream.end(() => resolve());
      }),
  };
}

/** The text without what is a secret, or looks like one. */
export function mask(text: string, secrets: readonly string[]): string {
  let masked = text.replace(SECRETS, "[masked]");
  for (const secret of secrets) if (secret !== "") masked = masked.replaceAll(secret, "[masked]");
  return masked;
}
