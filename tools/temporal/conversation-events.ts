import { type CallFacts, callFacts } from "./call-facts.ts";
import type { PolicyEvent } from "./event.ts";

/** An entry of a conversation of any agent. `seq` is its number. */
export interface ConversationEntry {
  readonly role: "user" | "assistant";
  readonly content: string | readonly ConversationBlock[];
  readonly seq?: number;
}

/** A block. Only tool calls and their results are read. */
interface ConversationBlock {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
}

/**
 * Read the events of a recorded conversation. It does not say who permitted a call, nor its outcome where it has no
 * result.
 */
export function conversationEvents(
  entries: readonly ConversationEntry[],
  options: { readonly workspace?: string } = {},
): readonly PolicyEvent[] {
  const started = new Map<string, CallFacts>();
  return entries.flatMap(({ role, content, seq }) => {
    const blocks = typeof content === "string" ? [{ type: "text" }] : content;
    const isPrompt = role === "user" && blocks.some(({ type }) => type === "text");
    const events: readonly PolicyEvent[] = [
      ...(role === "assistant" ? [{ kind: "request" } as const] : []),
      ...(isPrompt ? [{ kind: "prompt" } as const] : []),
      ...blocks.flatMap((block) => callEvent(block, started, options) ?? []),
    ];
    return seq === undefined ? events : events.map((event) => ({ ...event, seq }));
  });
}

function callEvent(
  { type, id = "", name = "", input = {}, tool_use_id: of = "", is_error: failed }: ConversationBlock,
  started: Map<string, CallFacts>,
  options: { readonly workspace?: string },
): PolicyEvent | undefined {
  if (type === "tool_result")
    return { kind: "call.ended", ...started.get(of), outcome: failed === true ? "failed" : "done" };
  if (type !== "tool_use") return undefined;
  const facts = callFacts(name, input, options);
  started.set(id, facts);
  return { kind: "call.started", ...facts };
}
