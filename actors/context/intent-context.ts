import type { TaskIntent } from "../../machines/tool-call/intent.ts";
import { messageOf } from "../../tools/error.ts";
import { activeIntent, type Intent, isActiveIntent, type ReadIntents } from "../../tools/intents/intent.ts";
import { element, oneLine } from "./element.ts";

/** The element of a request with the intent of the task. */
const INTENT_CONTEXT = "intent_context";

const INTRO =
  "The user maintains these intents. The runtime refuses every change outside the scope of the selected one.";

/** The part of a system prompt about the intent of the task, as the file is now. Never rejects. */
export async function intentPart(intent: TaskIntent, read: ReadIntents): Promise<string> {
  return `# Intent\n${INTRO}\n\n${await intentContext(intent, read)}`;
}

async function intentContext(intent: TaskIntent, read: ReadIntents): Promise<string> {
  try {
    const intents = await read();
    if (intent.stage === "required") return choice(intents);
    const active = activeIntent(intents, intent.id);
    if (typeof active !== "string") return selected(active);
    return element(INTENT_CONTEXT, { state: "ended" }, `${active}\n${lines(intents)}`);
  } catch (error) {
    return element(INTENT_CONTEXT, { state: "unreadable" }, oneLine(messageOf(error)));
  }
}

function choice(intents: readonly Intent[]): string {
  const text =
    "No intent is selected: only reading is permitted. Before you change anything, select the one that the work belongs to, with select_active_intent. Where none fits, ask the user.";
  return element(INTENT_CONTEXT, { state: "required" }, `${text}\n${lines(intents)}`);
}

const lines = (intents: readonly Intent[]): string =>
  intents
    .filter(isActiveIntent)
    .map(({ id, name }) => `- ${id}: ${oneLine(name)}`)
    .join("\n");

const selected = ({ id, name, ownedScope, constraints, acceptanceCriteria }: Intent): string =>
  element(
    INTENT_CONTEXT,
    { state: "selected", id, name },
    [
      ...section("Owned scope (globs)", ownedScope),
      ...section("Constraints", constraints),
      ...section("Acceptance criteria", acceptanceCriteria),
    ].join("\n"),
  );

const section = (title: string, texts: readonly string[]): readonly string[] =>
  texts.length === 0 ? [] : [`${title}:`, ...texts.map((text) => `- ${oneLine(text)}`)];
