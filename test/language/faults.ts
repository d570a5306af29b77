/** A text of one language element: a comment, a literal, a title, a paragraph. */
export interface Passage {
  readonly line: number;
  readonly text: string;
  /** Find the beginning that makes a reader look for its subject. */
  readonly headless: RegExp | undefined;
}

export interface Fault {
  readonly line: number;
  readonly received: string;
  /** The form to use. */
  readonly expected: string;
}

/** The first words of a docstring that has no subject. */
export const HEADLESS_DOCSTRING = /^(?:Of|That|Those|What|Which|Why|Whether there)\s/;
/** The first words of a sentence that has no subject, unless it is a question. */
export const HEADLESS_SENTENCE = /(?:^|(?<=[.!?:;] ))(?:Of|Those|What|Whatever|Which)\s(?![^.!]*\?)/;
/** The first words of a title that has no subject. */
export const HEADLESS_TITLE =
  /^(?:[A-Z]+\d*: )?(?:of|that|those|what|whatever|which|why|whether|how)\s(?!.*\?$)/i;

/** Phrases that a reader has to translate, each with the usual one. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bth(?:at|ose) of\b/i, "the noun"],
  [/, too\./, "also, or as well"],
  [/\bno more\b(?! (?:\w+ )?than)/i, "no longer, or no further"],
  [/\bof which\b/i, "a sentence of its own"],
  [/\bmeanwhile\b/i, "in the meantime"],
  [/\bso it is\b/i, "and is"],
  [/\bstands for\b/i, "matches, means or replaces"],
  [/\bis said\b/i, "who says it"],
];

/** The faults of language in a passage. */
export function languageFaults({ line, text, headless }: Passage): readonly Fault[] {
  const words = text.replaceAll(/\s+/g, " ").trim();
  const opening = headless?.exec(words)?.[0].trim();
  return [
    ...(opening === undefined ? [] : [{ line, received: opening, expected: "the subject first" }]),
    ...PHRASES.flatMap(([phrase, expected]) => {
      const received = phrase.exec(words)?.[0];
      return received === undefined ? [] : [{ line, received, expected }];
    }),
  ];
}
