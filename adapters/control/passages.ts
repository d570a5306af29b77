import type {
  AssistantBlock,
  Entry,
  ImageBlock,
  TextBlock,
  UserBlock,
} from "../../machines/conversation/entry.ts";
import { marked } from "./marked.ts";

/** A part of a conversation as text, with the name of its mark. */
export interface Passage {
  readonly name: "user" | "agent" | "thinking" | "call" | "result";
  readonly text: string;
}

/** The parts of a conversation, oldest first. */
export const passagesOf = (entries: readonly Entry[]): readonly Passage[] =>
  entries.flatMap((entry): readonly Passage[] =>
    entry.role === "user" ? entry.content.map(userPassage) : entry.content.map(agentPassage),
  );

function userPassage(block: UserBlock): Passage {
  if (block.type === "tool_result") return { name: "result", text: block.content.map(textOf).join("\n") };
  return { name: "user", text: textOf(block) };
}

const textOf = (block: TextBlock | ImageBlock): string => (block.type === "text" ? block.text : "[image]");

function agentPassage(block: AssistantBlock): Passage {
  switch (block.type) {
    case "text":
      return { name: "agent", text: block.text };
    case "thinking":
      return { name: "thinking", text: block.thinking };
    case "redacted_thinking":
      return { name: "thinking", text: "[encrypted]" };
    case "tool_use":
      return { name: "call", text: JSON.stringify({ tool: block.name, input: block.input }) };
    case "opaque":
      return { name: "agent", text: JSON.stringify(block.block) };
  }
}

/** The share of the characters that the beginning gets, which has the task. */
const BEGINNING = 0.25;

/** The passages between marks. Of more than `maxChars` characters, the beginning and the end. */
export function formatPassages(passages: readonly Passage[], maxChars: number): string {
  const chars = passages.reduce((sum, { text }) => sum + text.length, 0);
  if (chars <= maxChars) return passages.map(format).join("\n");
  const atStart = Math.floor(maxChars * BEGINNING);
  return [
    ...firstOf(passages, atStart).map(format),
    `[${chars - maxChars} characters of the conversation are omitted here]`,
    ...lastOf(passages, maxChars - atStart).map(format),
  ].join("\n");
}

const format = ({ name, text }: Passage): string => marked(name, text.toWellFormed());

function firstOf(passages: readonly Passage[], maxChars: number): readonly Passage[] {
  const first: Passage[] = [];
  let room = maxChars;
  for (const passage of passages) {
    if (room <= 0) break;
    first.push({ ...passage, text: passage.text.slice(0, room) });
    room -= passage.text.length;
  }
  return first;
}

function lastOf(passages: readonly Passage[], maxChars: number): readonly Passage[] {
  const last: Passage[] = [];
  let room = maxChars;
  for (const passage of passages.toReversed()) {
    if (room <= 0) break;
    last.push({ ...passage, text: passage.text.slice(-room) });
    room -= passage.text.length;
  }
  return last.reverse();
}
