import { readFile, writeFile } from "node:fs/promises";

/**
 * Puts `block` between the marks that a page has for the bench of this name.
 *
 * @throws Error where the page has no such marks
 */
export function withBlock(page: string, name: string, block: string): string {
  const [opening, closing] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const begin = page.indexOf(opening);
  const end = page.indexOf(closing);
  if (begin < 0 || end < begin)
    throw new Error(`The page has no place for ${name}: expected ${opening} and, after it, ${closing}.`);
  return `${page.slice(0, begin + opening.length)}\n\n${block}\n\n${page.slice(end)}`;
}

/** Renews the blocks of a page on disk, each by its bench's name. */
export async function renew(page: string, blocks: ReadonlyMap<string, string>): Promise<void> {
  const before = await readFile(page, "utf8");
  await writeFile(
    page,
    [...blocks].reduce((text, [name, block]) => withBlock(text, name, block), before),
  );
}
