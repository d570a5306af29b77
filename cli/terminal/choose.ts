import { printable } from "../../client/printable/printable.ts";
import { CliError } from "../error.ts";
import type { Choice } from "./input/choice-menu.ts";
import type { SlashContext } from "./slash-context.ts";

/**
 * Let the user choose one of these: from a list that the typed text filters, or by its number where nothing is drawn
 * again. Undefined where none was chosen.
 *
 * @throws CliError for a line that chooses none of them
 */
export async function choose(
  { say, ask, isLive }: Pick<SlashContext, "say" | "ask" | "isLive">,
  question: string,
  items: readonly Choice[],
): Promise<Choice | undefined> {
  if (!isLive)
    for (const [index, { row }] of items.entries()) say(`${String(index + 1).padStart(2)}. ${row}`);
  const hint = isLive ? "Arrows and Enter choose, text filters, Esc leaves" : "A number, or Enter for none";
  const answer = (await ask(`${question} ${hint}: `, { isList: true, items })).trim();
  if (answer === "") return undefined;
  const number = /^\d{1,2}$/.test(answer) ? Number(answer) : 0;
  const chosen = isLive ? items.find(({ line }) => line === answer) : items[number - 1];
  if (chosen !== undefined) return chosen;
  const expected = isLive ? "one of the list" : `a number from 1 to ${items.length}`;
  throw new CliError(`Expected ${expected}, received '${printable(answer)}'.`);
}
