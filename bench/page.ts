import { readFile, writeFile } from "node:fs/promises";

const BEGIN = "<!-- bench:begin -->";
const END = "<!-- bench:end -->";

/** Puts `block` between the marks of a page. @throws Error where the page has no marks */
export function withBlock(page: string, block: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error(`The page has no place for the table: expected ${BEGIN} and, after it, ${END}.`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${block}\n\n${page.slice(end)}`;
}

/** Renews the block of a page on disk. */
export async function renew(page: string, block: string): Promise<void> {
  await writeFile(page, withBlock(await readFile(page, "utf8"), block));
}
