import { invalidRequest } from "../protocol/api-error.ts";
import type { RequestMessage } from "../protocol/request.ts";
import type { MockScript, Rule, Turn } from "../script/script.ts";

/** The turn that a request is for. */
export interface ChosenTurn {
  readonly turn: Turn;
  /** From 0, in its list. */
  readonly index: number;
  /** From 0; undefined for the script's own turns. */
  readonly rule: number | undefined;
}

/**
 * Choose the turn from the request alone: by the number of responses since the message that a rule matched.
 *
 * @throws ApiError 400 whose message begins with `script_exhausted` or `script_no_match`
 */
export function chooseTurn(script: MockScript, messages: readonly RequestMessage[]): ChosenTurn {
  for (const [index, rule] of script.rules.entries()) {
    const since = matchedAt(rule, messages);
    if (since !== undefined)
      return { ...nth(rule.turns, messages.slice(since), `rule ${index + 1}`), rule: index };
  }
  if (script.turns.length > 0) return { ...nth(script.turns, messages, "the script"), rule: undefined };
  throw invalidRequest(
    `script_no_match: none of the ${script.rules.length} rules of ${script.name} matches the newest user text or result. Add a rule without \`when\`, or \`turns\` beside the rules.`,
  );
}

function nth(turns: readonly Turn[], messages: readonly RequestMessage[], of: string) {
  const index = turnsIn(messages, turns);
  const turn = turns[index];
  if (turn !== undefined) return { turn, index };
  const count = turns.length === 1 ? "1 turn" : `${turns.length} turns`;
  throw invalidRequest(
    `script_exhausted: ${of} has ${count}; the request is for turn ${index + 1}, as its messages have ${index} responses. Add a turn to the script, or complete the task earlier.`,
  );
}

/**
 * The number of responses in a conversation. A message is one; a message with more blocks than its paused turn has the
 * continuation too.
 */
function turnsIn(messages: readonly RequestMessage[], turns: readonly Turn[]): number {
  let count = 0;
  for (const { role, content } of messages) {
    if (role !== "assistant") continue;
    let rest = content.length;
    do {
      const response = turns[count]?.response;
      count += 1;
      rest -= response?.stop === "pause_turn" ? response.blocks.length : rest;
    } while (rest > 0);
  }
  return count;
}

/** The index of the message that the rule matched; 0 for a rule without conditions on the newest one. */
function matchedAt(
  { user, conversation, tool }: Rule,
  messages: readonly RequestMessage[],
): number | undefined {
  if (conversation !== undefined && !conversation.test(userTextOf(messages))) return undefined;
  const text = newest(messages, writtenTextOf);
  if (user !== undefined && (text === undefined || !user.test(text.value))) return undefined;
  if (tool === undefined) return user === undefined ? 0 : text?.index;
  const result = newest(messages, (message) => toolOf(message, messages));
  // A result counts only until the next user text.
  const isNewest = result !== undefined && result.index >= (text?.index ?? 0);
  return isNewest && result.value === tool ? result.index : undefined;
}

const userTextOf = (messages: readonly RequestMessage[]): string =>
  messages.flatMap((message) => (message.role === "user" ? (textOf(message) ?? []) : [])).join("\n");

function newest<T>(messages: readonly RequestMessage[], of: (message: RequestMessage) => T | undefined) {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    const value = message?.role === "user" ? of(message) : undefined;
    if (value !== undefined) return { index, value };
  }
  return undefined;
}

const ENVIRONMENT = /^<environment_details>\n.*\n<\/environment_details>$/s;

/** The text of a user without environment blocks, which the runtime adds to each request. */
const writtenTextOf = (message: RequestMessage): string | undefined =>
  joined(textsOf(message).filter((text) => !ENVIRONMENT.test(text)));

const textOf = (message: RequestMessage): string | undefined => joined(textsOf(message));

const textsOf = ({ content }: RequestMessage): string[] =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : []));

const joined = (texts: readonly string[]): string | undefined =>
  texts.length === 0 ? undefined : texts.join("\n");

function toolOf({ content }: RequestMessage, messages: readonly RequestMessage[]): string | undefined {
  const result = content.findLast((block) => block.type === "tool_result");
  if (result === undefined) return undefined;
  const calls = messages.flatMap((message) => message.content.filter((block) => block.type === "tool_use"));
  return calls.find(({ id }) => id === result.tool_use_id)?.name;
}
