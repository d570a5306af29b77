import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Effect } from "../../machines/tool-call/call.ts";
import type { FileWrite } from "../../machines/tool-call/file-write.ts";
import type { Feature } from "./feature.ts";

/** The tools of running calls report their output and their end. */
export const runningTools: Feature = {
  name: "running tools",
  events: ({ view: { context }, at }) =>
    context.turn.calls.flatMap((call) =>
      call.phase === "running" ? toolEvents(call.callId, at, call.review.effect) : [],
    ),
  // A runner may record a result after the end of the process.
  crashes: ({ view: { recorded } }) => {
    const started = recorded.calls.find(({ phase }) => phase === "running" || phase === "stopped");
    if (started === undefined) return [];
    const { callId } = started;
    return [
      { ends: [{ callId, content: [{ type: "text", text: "it ended" }] }] },
      { ends: [{ callId, content: "uncertain" }] },
    ];
  },
};

const WRITES: readonly FileWrite[] = [{ path: "a.txt", before: null, after: "a" }];

/** The events of a tool that runs, by the effect of its call. */
export function toolEvents(callId: string, at: number, effect?: Effect): TaskEvent[] {
  const written = effect === "writes" ? { writes: WRITES } : {};
  return [
    { type: "tool.output", at, callId, text: "." },
    { type: "tool.progress", at, callId, status: { text: "half" } },
    ...(effect === "executes" ? [{ type: "tool.backgrounded", at, callId } as const] : []),
    {
      type: "tool.finished",
      at,
      callId,
      content: [{ type: "text", text: "ok" }],
      command: { output: ".", exitCode: 0 },
      ...written,
    },
    { type: "tool.failed", at, callId, error: "boom", ...written },
  ];
}
