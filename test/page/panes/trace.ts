import { readFileSync } from "node:fs";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import type { TraceSnapshot } from "../../../visualize/page/model/trace-snapshot.ts";
import type { PaneProps } from "../../../visualize/page/pane-props.ts";
import { eventsOf } from "../../../visualize/trace/events-of.ts";
import { TraceLog } from "../../../visualize/trace/index.ts";
import type { TraceReader } from "../../../visualize/trace/moment.ts";
import { Tracer } from "../../../visualize/trace/tracer.ts";
import { parseRecord } from "../../../wire/journal/parse-record.ts";
import type { CommitRecord, JournalRecord } from "../../../wire/journal/record.ts";

const HEADER: JournalRecord = { seq: 0, kind: "header", version: 2, taskId: "t", createdAt: 1_000 };

/** A trace of a header and these records. */
export function traceOf(records: readonly JournalRecord[]): TraceLog {
  const tracer = new Tracer("t");
  return new TraceLog(
    "t",
    [HEADER, ...records].map((record) => tracer.add(record)),
  );
}

/** A trace as it is now, as the page renders it. */
export function snapshotOf(trace: TraceReader): TraceSnapshot {
  const events = eventsOf(trace);
  return new GrowingTrace(trace.taskId, events).snapshot();
}

/** The props of a pane at an event of a recorded trace. */
export function paneAt(of: TraceReader, at: number): PaneProps {
  const trace = snapshotOf(of);
  return { trace, at, until: trace.index.times[at] ?? 0, onGo: () => {} };
}

/** A commit with these parts only. */
export function commit(seq: number, parts: Partial<CommitRecord> = {}): CommitRecord {
  return {
    seq,
    kind: "commit",
    at: 1_000 + seq,
    cause: { type: "llm.text.delta", at: 1_000 + seq },
    before: "running",
    after: "running",
    log: [],
    conversation: [],
    decisions: [],
    turnEnded: false,
    calls: [],
    effects: [],
    reports: [],
    ...parts,
  };
}

export const appended = (message: ClineMessage): LogEvent => ({ type: "message.appended", message });

/** A trace in which each message is appended by its own event. */
export const traceOfMessages = (messages: readonly ClineMessage[]): TraceLog =>
  traceOf(messages.map((message, index) => commit(index + 1, { log: [appended(message)] })));

/** The recorded journals of test/fixtures. */
export const RECORDED = [
  "v1/asking",
  "v1/cancelled",
  "v1/commanding",
  "v1/completed",
  "v1/failed",
  "v1/streaming",
  "v1/waiting",
  "v2/approving",
  "v2/commanding",
  "v2/delegated",
  "v3/opaque",
  "v3/upgraded",
] as const;

export function recorded(name: (typeof RECORDED)[number]): TraceLog {
  const file = new URL(`../../fixtures/journals/${name}.jsonl`, import.meta.url);
  const tracer = new Tracer("t");
  const trace = new TraceLog("t");
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line === "") continue;
    const parsed = parseRecord(JSON.parse(line));
    if (parsed.success) trace.append(tracer.add(parsed.data));
  }
  return trace;
}
