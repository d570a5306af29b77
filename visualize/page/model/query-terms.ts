/** A term of a query: a word, a text in quotes, or a field with an operator and a value. */
export interface QueryTerm {
  readonly text: string;
  /** Whether it must not match: it comes after `-`. */
  readonly isExcluded: boolean;
}

/** The terms of a query. A term is a text in quotes, or has no spaces outside of quotes. */
export const queryTerms = (query: string): readonly QueryTerm[] =>
  [...query.matchAll(/(-?)((?:"[^"]*"?|[^\s"])+)/g)].map(([, minus, text = ""]) => ({
    text,
    isExcluded: minus === "-",
  }));

/** A field of a query. The value has no quotes. */
export interface QueryField {
  readonly name: string;
  readonly operator: string;
  readonly value: string;
}

/** The field of a term; undefined for a word or a text. */
export function fieldIn(term: string): QueryField | undefined {
  const [, name = "", operator = "", given = ""] = /^([a-z]+)(:|[<>]=?|=)(.*)$/i.exec(term) ?? [];
  return operator === ""
    ? undefined
    : { name: name.toLowerCase(), operator, value: given.replaceAll('"', "") };
}

/** The comparisons of numbers, by their operators. */
export const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b,
};

/** A number, also in dollars; undefined for another text. */
export const parseNumber = (text: string): number | undefined =>
  /^\$?\d+(\.\d+)?$/.test(text) ? Number(text.replace("$", "")) : undefined;
