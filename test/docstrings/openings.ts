/** Openings of a docstring that make a reader look for its subject. */
const HEADLESS = /\/\*\*\s*(?:\*\s*)?((?:Of|That|That of|Those of|What|Which|Why|Whether there)\s[^\n]*)/g;

export interface Opening {
  readonly line: number;
  readonly text: string;
}

/** The docstrings of a file that do not begin with their subject or with a verb. */
export const headlessOpenings = (source: string): readonly Opening[] =>
  [...source.matchAll(HEADLESS)].map(({ index, 1: text = "" }) => ({
    line: source.slice(0, index).split("\n").length,
    text: text.replace(/\s*\*\/.*$/, ""),
  }));
