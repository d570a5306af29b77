import path from "node:path";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import type { ModelEvent } from "../../ports/model.ts";
import { createHost } from "../../runtime/host.ts";
import { fileJournal, type JournalDriver, memoryJournal, readJournal } from "../../store/index.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/scripted-model.ts";
import { allowEverything, builtinTools, defineTool } from "../../tools/index.ts";
import {
  liveTrace,
  parseTraceLine,
  type TraceEvent,
  TraceLog,
  traceLines,
} from "../../visualize/trace/index.ts";
import { Tracer } from "../../visualize/trace/tracer.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { type Commands, command, createFolders, heldBytes, stopwatch } from "../harness/index.ts";
import { readAll, ServedTask } from "./followed.ts";
import { cpuOfEvents } from "./sends.ts";

/** A record of a long task, with one message: every tenth is a request. */
const recordAt = (seq: number): JournalRecord =>
  seq === 0
    ? { seq: 0, kind: "header", version: 2, taskId: "t1", createdAt: 0 }
    : {
        seq,
        kind: "commit",
        at: seq,
        cause: { type: "llm.text.delta", at: seq },
        before: "streaming.receiving",
        after: "streaming.receiving",
        log: [{ type: "message.appended", message: messageAt(seq) }],
        conversation: [],
        decisions: [],
        turnEnded: false,
        calls: [],
        effects: [],
        reports: [],
      };

const messageAt = (ts: number) =>
  ts % 10 === 1
    ? ({ ts, type: "say", say: "api_req_started", text: '{"cost":0.01}' } as const)
    : ({ ts, type: "say", say: "text", text: `Text of message ${ts}. `.repeat(5) } as const);

function linesOf(events: number): readonly string[] {
  const tracer = new Tracer("t1");
  return [...traceLines(Array.from({ length: events }, (_, seq) => tracer.add(recordAt(seq))))];
}

async function readTrace(events: number, seeks: number) {
  const lines = linesOf(events);
  const before = await heldBytes();
  const read = stopwatch();
  const log = new TraceLog(
    "t1",
    (function* (): Generator<TraceEvent> {
      let line = 0;
      for (const text of lines) yield parseTraceLine(text, ++line);
    })(),
  );
  const open = read();
  const bytes = (await heldBytes()) - before;
  const scrub = stopwatch();
  let seen = 0;
  // The stride has no common divisor with the length: all positions are visited.
  for (let seek = 0; seek < seeks; seek += 1) seen += log.moment((seek * 7919) % events).memory.log.length;
  // The lines are still in memory: both measurements include them.
  return { openMs: open.cpuMs, bytes, scrubMs: scrub().cpuMs, seen, lines: lines.length };
}

const note = defineTool({
  name: "note",
  description: "Notes an item.",
  inputSchema: z.object({ item: z.number() }),
  effect: "writes",
  execute: () => "Noted.",
});

const turn =
  (turns: number) =>
  (at: number): readonly ModelEvent[] => [
    { type: "text.delta", text: "I note the next item." },
    { type: "block.end" },
    ...(at < turns
      ? scriptedToolCall("note", { item: at }, `toolu_${at}`)
      : scriptedToolCall("attempt_completion", { result: "Done." }, `toolu_${at}`)),
  ];

/** Run a task, observed or not, with a model in this process or, with `url`, with the SDK over HTTP. */
async function runTask({ folder, turns, how, url }: TaskArgs) {
  const { workspace, dataDir } = await createFolders(folder);
  const journals = new Map<string, JournalDriver>();
  const host = createHost(
    url === undefined
      ? { journal: (id) => journalOf(journals, id, () => memoryJournal()) }
      : { journal: (id) => journalOf(journals, id, () => fileJournal({ dir: path.join(dataDir, id) })) },
  );
  const task = await host.create({
    model:
      url === undefined
        ? scriptedModel(turn(turns))
        : anthropic({ model: "bench-model", apiKey: "bench", baseURL: url }),
    workspace,
    tools: [...builtinTools(), note],
    permissions: { judge: allowEverything() },
    limits: { requests: turns + 2 },
  });
  let events = 0;
  const records = () =>
    readJournal(
      journalOf(journals, task.id, () => memoryJournal()),
      { onTail: () => undefined },
    );
  const spent = stopwatch();
  const traced =
    how === "off"
      ? undefined
      : liveTrace(task, { records, inspect: how === "inspect" }).forEach(() => {
          events += 1;
        });
  await task.run("Go.");
  await host.closeAll();
  // The cost includes the end of the trace.
  await traced;
  return { cpuMs: spent().cpuMs, events };
}

const TaskArgs = z.object({
  folder: z.string(),
  turns: z.number(),
  how: z.enum(["off", "trace", "inspect"]),
  url: z.string().optional(),
});
type TaskArgs = z.infer<typeof TaskArgs>;

function journalOf(
  journals: Map<string, JournalDriver>,
  id: string,
  make: () => JournalDriver,
): JournalDriver {
  const journal = journals.get(id) ?? make();
  journals.set(id, journal);
  return journal;
}

let served: ServedTask | undefined;
let reading: Promise<number> | undefined;

export const commands: Commands = {
  open: command(z.object({ events: z.number(), seeks: z.number() }), async ({ events, seeks }) =>
    readTrace(events, seeks),
  ),
  live: command(TaskArgs, runTask),
  send: command(
    z.object({ events: z.number(), how: z.enum(["off", "empty", "inspect"]) }),
    async ({ events, how }) => cpuOfEvents(events, how),
  ),
  /** Serve a streaming task. */
  serve: command(z.object({ folder: z.string(), words: z.number() }), async ({ folder, words }) => {
    served = await ServedTask.open(folder, words);
    return served.endpoint;
  }),
  run: command(z.object({}), async () => served?.run()),
  stop: command(z.object({}), async () => served?.close()),
  /** Start to read a stream. */
  read: command(z.object({ url: z.string(), token: z.string() }), async (endpoint) => {
    reading = readAll(endpoint);
  }),
  /** The number of events that were received. */
  received: command(z.object({}), async () => reading),
};
