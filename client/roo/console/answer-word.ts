/** A word with the same meaning at every ask. */
export type AnswerWord = "yes" | "no" | "always" | "edit" | "view" | "quit";

/** The grammar of answers: a line that is none of these is free text. */
const FORMS: readonly { readonly word: AnswerWord; readonly forms: readonly string[] }[] = [
  { word: "yes", forms: ["y", "yes"] },
  { word: "no", forms: ["n", "no"] },
  { word: "always", forms: ["a", "always"] },
  { word: "edit", forms: ["e", "edit"] },
  { word: "view", forms: ["v", "view"] },
  { word: "quit", forms: ["q", "quit", "exit"] },
];

/** Parse a line that is a word of the grammar, such as `y` or `Always`. Undefined for free text. */
export function answerWord(line: string): AnswerWord | undefined {
  const text = line.trim().toLowerCase();
  return FORMS.find(({ forms }) => forms.includes(text))?.word;
}
