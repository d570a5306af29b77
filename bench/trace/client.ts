import { z } from "zod";
import { type ModelEvent, memoryJournal, readJournal } from "../../actors/index.ts";
import { createHost } from "../../client/index.ts";
import { allowEverything, builtinTools, defineTool } from "../../tools/index.ts";
import { type TraceEvent, TraceLog, Tracer } from "../../trace/index.ts";
import { liveTrace, parseTraceLine, traceLines } from "../../visualize/index.ts";
import type { JournalRecord } from "../../wire/index.ts";
import { type Commands, command, placesIn, stopwatch } from "../harness/index.ts";
import { callOf, scriptModel } from "../harness/script-model.ts";

/** A row of a long task: a request each tenth, as long as a short answer. */
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
        log: [{ type: "message.appended", message: rowAt(seq) }],
        conversation: [],
        decisions: [],
        turnEnded: false,
        calls: [],
        effects: [],
        reports: [],
      };

const rowAt = (ts: number) =>
  ts % 10 === 1
    ? ({ ts, type: "say", say: "api_req_started", text: '{"cost":0.01}' } as const)
    : ({ ts, type: "say", say: "text", text: `What row ${ts} says. `.repeat(5) } as const);

function linesOf(events: number): readonly string[] {
  const tracer = new Tracer("t1");
  return [...traceLines(Array.from({ length: events }, (_, seq) => tracer.add(recordAt(seq))))];
}

function opened(events: number, places: number) {
  const lines = linesOf(events);
  const before = usedBytes();
  const read = stopwatch();
  const log = new TraceLog(
    "t1",
    (function* (): Generator<TraceEvent> {
      let line = 0;
      for (const text of lines) yield parseTraceLine(text, ++line);
    })(),
  );
  const open = read();
  const bytes = usedBytes() - before;
  const scrub = stopwatch();
  let seen = 0;
  // A stride that has no common divisor with the length comes by everywhere.
  for (let place = 0; place < places; place += 1)
    seen += log.moment((place * 7919) % events).memory.log.length;
  return { openMs: open.cpuMs, bytes, scrubMs: scrub().cpuMs, seen };
}

function usedBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const note = defineTool({
  name: "note",
  description: "Notes an item.",
  input: z.object({ item: z.number() }),
  effect: "writes",
  run: () => "Noted.",
});

const turn =
  (turns: number) =>
  (at: number): readonly ModelEvent[] => [
    { type: "text.delta", text: "I note what there is to note." },
    { type: "block.end" },
    ...(at < turns
      ? callOf(`toolu_${at}`, "note", { item: at })
      : callOf(`toolu_${at}`, "attempt_completion", { result: "Done." })),
  ];

/** A whole task, looked at or not. */
async function lived(folder: string, turns: number, how: "off" | "trace" | "inspect") {
  const { workspace } = await placesIn(folder);
  const journal = memoryJournal();
  const host = createHost({ journal: () => journal });
  const task = await host.create({
    model: scriptModel(turn(turns)),
    workspace,
    tools: [...builtinTools(), note],
    policy: allowEverything(),
    limits: { requests: turns + 2 },
  });
  let events = 0;
  const records = () => readJournal(journal, { onTail: () => undefined });
  if (how !== "off")
    liveTrace(task, { records, inspect: how === "inspect" }).subscribe(() => {
      events += 1;
    });
  const spent = stopwatch();
  await task.run("Go.");
  await task.flushed();
  const { cpuMs } = spent();
  await host.closeAll();
  return { cpuMs, events };
}

export const commands: Commands = {
  open: command(z.object({ events: z.number(), places: z.number() }), async ({ events, places }) =>
    opened(events, places),
  ),
  live: command(
    z.object({ folder: z.string(), turns: z.number(), how: z.enum(["off", "trace", "inspect"]) }),
    async ({ folder, turns, how }) => lived(folder, turns, how),
  ),
};
