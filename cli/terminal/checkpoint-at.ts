import type { ClineMessage } from "../../machines/message/message.ts";
import type { CallContent } from "../../present/calls.ts";
import { parseCall } from "../../present/parse-call.ts";
import type { TaskCheckpoint } from "./task-checkpoints.ts";

/** The calls before which the files are saved. */
const CHANGES: ReadonlySet<CallContent["kind"]> = new Set([
  "command",
  "file",
  "change",
  "subtask",
  "arguments",
]);

/** The checkpoint of the files as they were at a message. Undefined where no call that may change files ran since. */
export function checkpointAt(log: readonly ClineMessage[], ts: number): TaskCheckpoint | undefined {
  const later = log.filter((message) => message.ts > ts);
  const first = later.find(({ say, callId }) => say === "tool" && isChange(log, callId));
  if (first === undefined) return undefined;
  const next = later.find(isCheckpoint);
  // Files that match the checkpoint before are not saved again.
  const saved = next?.callId === first.callId ? next : (log.findLast(isCheckpointBefore(ts)) ?? next);
  return saved?.text ? { hash: saved.text, at: saved.ts } : undefined;
}

const isCheckpoint = ({ say, text }: ClineMessage): boolean => say === "checkpoint_saved" && Boolean(text);

const isCheckpointBefore =
  (ts: number) =>
  (message: ClineMessage): boolean =>
    message.ts < ts && isCheckpoint(message);

function isChange(log: readonly ClineMessage[], callId: string | undefined): boolean {
  const asked = log.find((message) => message.type === "ask" && message.callId === callId);
  const call = callId === undefined || asked === undefined ? undefined : parseCall(asked);
  return call !== undefined && CHANGES.has(call.content.kind);
}
