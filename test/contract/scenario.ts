import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JournalDriver } from "../../ports/journal.ts";
import { fileJournal, readJournal } from "../../store/index.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { completes, QUESTION, scriptByMode, subtask } from "../support/subtasks.ts";

/** What a subtask does when its tree is cancelled, and the text by which each interface shows it. */
export const SUBTASKS = {
  asks: { turns: QUESTION, shown: "Which?" },
  streams: { turns: "{ stallMs: 600000, after: 2 }, { text: 'I think about it.', chunk: 4 }", shown: "I th" },
  "runs a command": {
    turns: `{ tool: execute_command, input: { command: "echo be''gun; exec sleep 600" } }`,
    shown: "begun",
  },
} as const;

export type Work = keyof typeof SUBTASKS;

export const KEY = "sk-test-0123456789";
export const MODEL = "claude-sonnet-4-5";
export const ROOT = "root";

/** A model, and folders for one run of one interface. */
export class Scenario implements AsyncDisposable {
  readonly mock: MockServer;
  readonly work: Work;
  readonly workspace = mkdtempSync(path.join(tmpdir(), "contract-"));
  readonly dataDir = mkdtempSync(path.join(tmpdir(), "contract-data-"));

  private constructor(mock: MockServer, work: Work) {
    this.mock = mock;
    this.work = work;
  }

  static async open(work: Work): Promise<Scenario> {
    const script = scriptByMode(
      { mode: "code", to: "Go on", turn: completes("All done.") },
      { mode: "code", after: "new_task", turn: completes("Without it.") },
      { mode: "code", turn: subtask("debug") },
      { mode: "debug", turn: SUBTASKS[work].turns },
    );
    return new Scenario(await startMock(parseScript(script)), work);
  }

  /** Arguments of a command, and its variables. */
  get args(): readonly string[] {
    const { workspace, dataDir, mock } = this;
    return [
      "-w",
      workspace,
      "--data-dir",
      dataDir,
      "--base-url",
      mock.url,
      "--no-checkpoints",
      "-m",
      MODEL,
      "--api-key",
      KEY,
    ];
  }

  get env(): Readonly<Record<string, string>> {
    return { XDG_CONFIG_HOME: path.join(this.workspace, "config"), NO_COLOR: "1" };
  }

  /** The records of the task and of its subtask, from the commit of a cause on. */
  async recorded(cause: string): Promise<Readonly<Record<"root" | "subtask", readonly string[]>>> {
    const ids = readdirSync(path.join(this.dataDir, "tasks"));
    const records = (pattern: RegExp) => {
      const id = ids.find((each) => pattern.test(each)) ?? "none";
      return recordedIn(fileJournal({ dir: path.join(this.dataDir, "tasks", id) }), cause);
    };
    return { root: await records(/^[^.]+$/), subtask: await records(/^[^.]+\.1$/) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mock.close();
    rmSync(this.workspace, { recursive: true, force: true });
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** The records of a journal from the commit of a cause on. */
export async function recordedIn(
  journal: Pick<JournalDriver, "path" | "read">,
  cause: string,
): Promise<readonly string[]> {
  const records: JournalRecord[] = [];
  for await (const record of readJournal(journal, { onTail: () => undefined })) records.push(record);
  return from(cause, records);
}

function from(cause: string, records: readonly JournalRecord[]): readonly string[] {
  const commits = records.flatMap((record) => (record.kind === "commit" ? [record] : []));
  const first = commits.findIndex((commit) => commit.cause?.type === cause);
  return (first < 0 ? [] : commits.slice(first)).map(formatCommit);
}

type Commit = Extract<JournalRecord, { readonly kind: "commit" }>;

/** What a commit decided, without times, ids and the parts in which output came. */
function formatCommit({ cause, before, after, log = [], calls = [] }: Commit): string {
  const events = log.map((event) => {
    switch (event.type) {
      case "message.appended":
        return `+${event.message.ask ?? event.message.say}:${event.message.text?.slice(0, 60) ?? ""}`;
      case "message.amended":
        return `~${JSON.stringify({ ...event.patch, callId: undefined })}`;
      default:
        return event.type;
    }
  });
  const ended = calls.map((call) =>
    call.phase === "settled" ? `${call.phase} ${call.outcome.kind}` : call.phase,
  );
  return (
    [cause?.type ?? "", `${before} -> ${after}`, ...events, ...ended]
      .join(" | ")
      // Paths and the prompt differ in length.
      .replaceAll(/\\?"(?:cost|tokensIn|tokensOut|cacheReads|cacheWrites)\\?":[\d.e-]+,?/g, "")
  );
}
