import { HEADLESS_SENTENCE, type Passage } from "./faults.ts";

/** A line that begins a passage of its own: a heading, an item of a list, a quotation. */
const BEGINNING = /^\s*(?:#+|[-*>]|\d+\.)\s+/;

/** The headings, paragraphs, list items and table cells of a page, without its code. */
export function proseIn(page: string): readonly Passage[] {
  const found: { line: number; text: string; headless: RegExp | undefined }[] = [];
  let open: (typeof found)[number] | undefined;
  for (const [index, text] of linesOfProse(page).entries()) {
    const line = index + 1;
    if (text.trim() === "") open = undefined;
    else if (text.startsWith("|")) {
      found.push(
        ...text.split(/(?<!\\)\|/).map((cell) => ({ line, text: cell, headless: HEADLESS_SENTENCE })),
      );
      open = undefined;
    } else if (open === undefined || BEGINNING.test(text)) {
      open = {
        line,
        text: text.replace(BEGINNING, ""),
        headless: text.startsWith("#") ? undefined : HEADLESS_SENTENCE,
      };
      found.push(open);
    } else open.text += `\n${text}`;
  }
  return found;
}

/** The lines of a page; those of code are empty, and code in a line is one word. */
const linesOfProse = (page: string): readonly string[] =>
  page
    .replaceAll(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2`*$/gm, (code) => code.replaceAll(/[^\n]/g, ""))
    .replaceAll(/`[^`\n]*`/g, "`code`")
    .split("\n");
