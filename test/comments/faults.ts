import ts from "typescript";

/** An opening of a docstring that makes a reader look for its subject. */
const HEADLESS = /^\/\*\*\s*(?:\*\s*)?(Of|That|Those|What|Which|Why|Whether there)\s/;

/** Phrases that a reader has to translate, each with the usual one. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bth(?:at|ose) of\b/i, "the noun"],
  [/, too\./, "also, or as well"],
  [/\bno more\b(?! (?:\w+ )?than)/, "no longer, or no further"],
  [/\bof which\b/, "a sentence of its own"],
  [/\bmeanwhile\b/, "in the meantime"],
  [/\bso it is\b/, "and is"],
  [/\bstands for\b/, "matches, means or replaces"],
  [/\bis said\b/, "who says it"],
];

export interface Fault {
  readonly line: number;
  readonly received: string;
  /** The form to use. */
  readonly expected: string;
}

/** The faults of language in the comments of a file. */
export const commentFaults = (text: string, file = "a.ts"): readonly Fault[] =>
  commentsIn(text, file).flatMap(({ start, comment }) => {
    const line = text.slice(0, start).split("\n").length;
    const opening = HEADLESS.exec(comment)?.[1];
    const words = comment.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, " ");
    return [
      ...(opening === undefined ? [] : [{ line, received: opening, expected: "the subject first" }]),
      ...PHRASES.flatMap(([phrase, expected]) => {
        const received = phrase.exec(words)?.[0];
        return received === undefined ? [] : [{ line, received, expected }];
      }),
    ];
  });

/** The comments of a file, each once. */
function commentsIn(
  text: string,
  file: string,
): readonly { readonly start: number; readonly comment: string }[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [])
      found.set(pos, text.slice(pos, end));
    ts.forEachChild(node, visit);
  };
  visit(source);
  visit(source.endOfFileToken);
  return [...found].map(([start, comment]) => ({ start, comment }));
}
