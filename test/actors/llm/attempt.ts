import { Subject } from "rxjs";
import type { EventObject } from "xstate";
import type { LlmLimits } from "../../../actors/llm/limits.ts";
import { llmActor } from "../../../actors/llm/llm-actor.ts";
import { type Edge, immediateEdge } from "../../../actors/protocol/edge.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import { PersistentList } from "../../../machines/list/list.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { LlmEvent } from "../../../machines/task/task.events.ts";
import type { ChatModel, ModelEvent } from "../../../ports/model.ts";
import type { Tool } from "../../../tools/index.ts";
import { host } from "../protocol/host.ts";

export const hello: readonly Entry[] = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];

export const finished = (stopReason: "end_turn" | "tool_use" | "max_tokens" = "end_turn"): ModelEvent => ({
  type: "finished",
  stopReason,
  usage: { ...NO_USAGE, tokensOut: 7 },
});
export const text = (words: string): ModelEvent => ({ type: "text.delta", text: words });

/** A model that streams the given events, then throws the given error. */
export function saying(events: Iterable<ModelEvent>, error?: unknown): ChatModel {
  return {
    id: "test",
    async *stream() {
      yield* events;
      if (error !== undefined) throw error;
    },
  };
}

/** A model that streams the events that the test sends. */
export function spoken(): {
  readonly model: ChatModel;
  readonly says: Subject<ModelEvent>;
  aborted: boolean;
} {
  const says = new Subject<ModelEvent>();
  const queue: ModelEvent[] = [];
  let wake = (): void => {};
  says.subscribe((event) => {
    queue.push(event);
    wake();
  });
  const control = {
    says,
    aborted: false,
    model: {
      id: "test",
      async *stream(_request: unknown, signal: AbortSignal) {
        signal.addEventListener("abort", () => {
          control.aborted = true;
          wake();
        });
        for (;;) {
          yield* queue.splice(0);
          if (signal.aborted) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
    } satisfies ChatModel,
  };
  return control;
}

export const writeTool: Tool = {
  name: "write_to_file",
  displayName: "Write",
  aliases: ["write_file"],
  group: "edit",
  description: "Writes a file.",
  inputSchema: { type: "object" },
  effect: "writes",
  replayable: false,
  ask: "tool",
  partial: ({ path, content }) =>
    typeof path === "string" ? JSON.stringify({ tool: "newFileCreated", path, content }) : undefined,
  prepare: () => ({ ok: false, error: "not here" }),
};

interface Options extends LlmLimits {
  readonly model: ChatModel;
  readonly tools?: readonly Tool[];
  readonly system?: () => Promise<readonly string[]>;
}

export function begin(
  { model, tools = [writeTool], system = async () => ["Be brief."], ...llm }: Options,
  edge: Edge = immediateEdge,
  history: readonly Entry[] = hello,
) {
  const offered = tools.filter(({ requires }) => requires === undefined);
  const head = async () => ({ offered, system: await system() });
  const logic = llmActor(edge, { model, tools, head, llm });
  return host(logic, { requestId: 42, history: PersistentList.from(history), mode: "code" });
}

/** All events of one attempt. */
export function attempt(options: Options, edge?: Edge, history?: readonly Entry[]): Promise<LlmEvent[]> {
  return new Promise((resolve) => {
    const actor = begin(options, edge, history);
    actor.stopWhen((event) => {
      if (isTerminal(event)) setImmediate(() => resolve(llmEvents(actor.received)));
      return false;
    });
  });
}

export const isTerminal = ({ type }: EventObject): boolean =>
  type === "llm.finished" || type === "llm.failed";

export function llmEvents(received: readonly EventObject[]): LlmEvent[] {
  return received.filter((event): event is LlmEvent => event.type.startsWith("llm."));
}

export function last(events: readonly LlmEvent[]): LlmEvent {
  const event = events.at(-1);
  if (event === undefined) throw new Error("expected an event");
  return event;
}

/** The text of each block. */
export function wordsOf(events: readonly LlmEvent[]): Record<number, string> {
  const words: Record<number, string> = {};
  for (const event of events) {
    if (event.type !== "llm.text.delta" && event.type !== "llm.thinking.delta") continue;
    words[event.index] = (words[event.index] ?? "") + event.text;
  }
  return words;
}
