/** A parsed line: a value, or a hint for an unclear line. */
export type ParsedLine<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "unclear"; readonly hint: string };

export const value = <T>(parsed: T): ParsedLine<T> => ({ kind: "value", value: parsed });
export const unclear = (hint: string): ParsedLine<never> => ({ kind: "unclear", hint });

/** `y`, `yes`, `n` or `no`, in any case. */
export function parseYesNo(line: string): ParsedLine<boolean> {
  const text = line.trim();
  if (/^y(es)?$/i.test(text)) return value(true);
  if (/^no?$/i.test(text)) return value(false);
  return unclear("Please answer y or n.");
}

/** Any text but an empty line. */
export function parseText(line: string): ParsedLine<string> {
  return line.trim() === "" ? unclear("Please type an answer.") : value(line);
}

/** A number from 1 on, or the text of one of the choices; with `isFree`, any other text too. */
export function parseChoice(
  choices: readonly string[],
  isFree: boolean,
): (line: string) => ParsedLine<string> {
  return (line) => {
    const text = line.trim();
    const chosenByText = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
    if (chosenByText !== undefined) return value(chosenByText);
    const isNumber = /^\d+$/.test(text);
    const chosen = isNumber ? choices[Number(text) - 1] : undefined;
    if (chosen !== undefined) return value(chosen);
    const isOther = text !== "" && (!isNumber || choices.length === 0);
    if (isFree && isOther) return value(text);
    return unclear(
      choices.length === 0
        ? "Please type an answer."
        : `Please give a number from 1 to ${choices.length}${isFree ? ", or your own answer" : ""}.`,
    );
  };
}
