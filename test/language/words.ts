/** A table that the code determines stands between marks with its name: `<!-- laws -->` and `<!-- /laws -->`. */
const GENERATED = /<!-- ([a-z ]+) -->.*?<!-- \/\1 -->/gs;

const CODE = /```.*?```/gs;

/** The hand-written text of a page: all but the tables that the code determines. */
export const handWritten = (page: string): string => page.replaceAll(GENERATED, "");

/** The names of the tables of a page that the code determines. */
export const generatedIn = (page: string): readonly string[] =>
  [...page.matchAll(GENERATED)].map(([, name = ""]) => name);

/** The hand-written text of a page without its code. */
export const proseOf = (page: string): string => handWritten(page).replaceAll(CODE, "");

/** The number of words of a text: what stands between white space. */
export const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;
