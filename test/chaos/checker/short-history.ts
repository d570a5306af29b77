import type { CheckedTask, History, Seen, Sent } from "./history.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Time of the question, which is its id. */
export const ASK = 1_005;
const QUESTION = { callId: "1/q", toolUseId: "q", name: "ask_followup_question", ask: "followup", row: ASK };
const EFFECT = { callId: "1/e", toolUseId: "e", name: "effect", ask: "tool" };

const user = (text: string): Json => ({
  type: "entry.appended",
  entry: { role: "user", content: [{ type: "text", text }] },
});
const toolUse = (id: string, name: string, input: Json): Json => ({
  type: "entry.appended",
  entry: { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
});

/** The records of a task that has an effect, asks a question, and completes. */
const RECORDS: readonly Json[] = [
  { kind: "header", version: 3, taskId: "task-1", createdAt: 1 },
  { kind: "commit", before: "idle", after: "streaming", inbox: { position: 1 }, conversation: [user("go.")] },
  {
    kind: "commit",
    before: "streaming",
    after: "running",
    conversation: [toolUse("e", "effect", { line: "one" })],
    calls: [{ ...EFFECT, phase: "running" }],
  },
  {
    kind: "commit",
    before: "running",
    after: "streaming",
    calls: [{ ...EFFECT, phase: "settled", outcome: { kind: "done" } }],
  },
  {
    kind: "commit",
    before: "streaming",
    after: "waiting_for_input",
    calls: [{ ...QUESTION, phase: "asking" }],
  },
  {
    kind: "commit",
    cause: { type: "ask.answered", askId: ASK },
    before: "waiting_for_input",
    after: "streaming",
    inbox: { position: 2 },
    log: [{ type: "message.amended", ts: ASK, patch: { closing: "answered" } }],
    conversation: [{ type: "entry.extended", content: [{ type: "text", text: "blue." }] }],
  },
  { kind: "commit", before: "streaming", after: "idle.completing", facts: { result: "Done." } },
].map((record, seq) => ({ seq, ...(record.kind === "commit" && { cause: { type: "event" } }), ...record }));

/** A history with one task that keeps all rules, and changes of its parts. */
export interface HistoryChanges {
  /** Change the records of the journal, after the clients saw them unless `seen` is true. */
  readonly records?: (records: readonly Json[]) => readonly Json[];
  readonly seen?: true;
  readonly task?: (task: CheckedTask) => CheckedTask;
  readonly effects?: readonly string[];
  readonly commands?: (commands: readonly Sent[]) => readonly Sent[];
  readonly events?: (events: readonly Seen[]) => readonly Seen[];
}

const COMMANDS: readonly Sent[] = [
  { task: "task-1", id: "a", position: 1, command: { kind: "continue", text: "go." } },
  {
    task: "task-1",
    id: "b",
    position: 2,
    command: { kind: "answer", askId: ASK, answer: { text: "blue." } },
  },
];

const same = <T>(value: T): T => value;

export function shortHistory(changes: HistoryChanges = {}): History {
  const { records = same, task = same, commands = same, events = same } = changes;
  const changed = records(RECORDS);
  const seen = (changes.seen === true ? changed : RECORDS).map(
    (record, seq): Seen => ({
      task: "task-1",
      connection: 1,
      id: `${seq}`,
      data: { seq, record },
    }),
  );
  return {
    tasks: [task({ id: "task-1", kind: "question", owner: null, waiting: 0, rows: rowsOf(changed) })],
    effects: changes.effects ?? ["task-1 one"],
    commands: commands(COMMANDS),
    requests: [],
    events: events(seen),
  };
}

/** The rows of records, after one without content, as a claim leaves it. */
export function rowsOf(records: readonly Json[]): CheckedTask["rows"] {
  let from = 0;
  const rows = records.map((record, index) => {
    const content = `${JSON.stringify({ crc: "00000000", ...record })}\n`;
    const row = { n: index + 1, from, content };
    from += Buffer.byteLength(content);
    return row;
  });
  return [{ n: 0, from: 0, content: "" }, ...rows];
}

/** The call that starts the subtask of a family. */
const CALL = { callId: "1/n", toolUseId: "n", name: "new_task", ask: "tool" };

/** Changes of a family: the kind of the parent, the call that the subtask names, and its result. */
export interface FamilyChanges {
  readonly kind?: string;
  readonly callId?: string;
  readonly result?: string | undefined;
}

/** A history of the task with a subtask. `end`: the last state of its call. */
export function familyHistory(end: Json, changes: FamilyChanges = {}): History {
  const { kind = "plain", callId = CALL.callId, result } = { result: "Helped.", ...changes };
  const cause = { type: "event" };
  const delegated = { kind: "commit", cause, calls: [{ ...CALL, phase: "delegated", childId: "child" }] };
  const [header = {}, ...rest] = RECORDS;
  const own = [header, delegated, { kind: "commit", cause, calls: [{ ...CALL, ...end }] }, ...rest];
  const history = shortHistory({ records: () => own.map((record, seq) => ({ ...record, seq })), seen: true });
  const child = [
    { kind: "header", taskId: "child", parent: { taskId: "task-1", rootId: "task-1", callId } },
    { kind: "commit", cause, after: "idle.completing", facts: { result } },
  ].map((record, seq): Json & { readonly seq: number } => ({ ...record, seq }));
  const task = { id: "child", kind: "subtask", owner: null, waiting: 0, rows: rowsOf(child) };
  const seen = child.map((record) => ({
    task: "child",
    connection: 1,
    id: `${record.seq}`,
    data: { seq: record.seq, record },
  }));
  return {
    ...history,
    tasks: [...history.tasks.map((each) => ({ ...each, kind })), task],
    events: [...history.events, ...seen],
  };
}
