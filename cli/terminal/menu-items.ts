import { printable } from "../../client/printable/printable.ts";
import { type CompletionSources, completeMention } from "./completion.ts";
import type { MenuItems } from "./input/menu.ts";
import { commandMenu } from "./slash-commands.ts";
import type { SlashContext } from "./slash-context.ts";

/** The menu for the text before the cursor: commands, or the paths of a mention. */
export async function menuItems(
  head: string,
  context: SlashContext,
  files: CompletionSources["files"],
): Promise<MenuItems> {
  const commands = commandMenu(head, context);
  if (commands !== undefined) return commands;
  const { word, candidates } = await completeMention(head.slice(head.lastIndexOf("\n") + 1), files);
  const others = candidates.filter((text) => text !== word);
  return { word, items: others.map((text) => ({ text, row: printable(text) })) };
}
