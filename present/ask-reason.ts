import { parseQuestion } from "../wire/descriptor.ts";
import { askLabel, isApproval } from "./asks.ts";
import type { Call } from "./calls.ts";
import { parseCall } from "./parse-call.ts";

/** Verbs of titles whose first word is no verb. */
const VERBS: Readonly<Record<string, string>> = {
  "New file": "create",
  "Browser:": "use the browser:",
  Plan: "change the plan",
};

/** Format the event that a task waits for as the end of a sentence about it: `` asks to run `npm test` ``. */
export function askReason(ask: string, text: string): string {
  if (ask === "followup") return `asks: ${parseQuestion(text).question}`;
  const call = isApproval(ask) ? parseCall({ ask, text }) : undefined;
  return call === undefined ? lowerCased(askLabel(ask)) : `asks to ${actionOf(call)}`;
}

function actionOf({ tool, title, stats }: Call): string {
  if (tool === "command") {
    const command = title.map(({ text }) => text).join(" ");
    // The arguments of a call that is streamed may not have come yet.
    return command === "" ? "run a command" : `run \`${command}\``;
  }
  const [first, ...rest] = title;
  const verb =
    first?.kind === "verb" ? (VERBS[first.text] ?? lowerCased(first.text).replace(/^tool /, "use ")) : "call";
  const objects = first?.kind === "verb" ? rest : title;
  return [
    verb,
    ...objects.map(({ word, text }) => (word === undefined ? text : `${word} ${text}`)),
    ...(stats === undefined ? [] : [`(+${stats.added} -${stats.removed})`]),
  ].join(" ");
}

const lowerCased = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
