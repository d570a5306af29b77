/** Replace what stands between the marks `<!-- name -->` and `<!-- /name -->` of a page. */
export function withTable(page: string, name: string, table: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`Expected ${begin} and, after it, ${end} in the page.`);
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}
