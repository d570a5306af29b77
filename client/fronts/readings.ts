/** What a line means as the answer to a question. One that isn't clear is asked again, never guessed. */
export type Reading<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "unclear"; readonly hint: string };

export const value = <T>(of: T): Reading<T> => ({ kind: "value", value: of });
export const unclear = (hint: string): Reading<never> => ({ kind: "unclear", hint });

/** `y`, `yes`, `n` or `no`, in any case. */
export function readYesNo(line: string): Reading<boolean> {
  const words = line.trim();
  if (/^y(es)?$/i.test(words)) return value(true);
  if (/^no?$/i.test(words)) return value(false);
  return unclear("Please say y or n.");
}

/** Any words. */
export function readText(line: string): Reading<string> {
  return line.trim() === "" ? unclear("Please say something.") : value(line);
}

/** A number, counted from 1, or one of the choices in its own words; with `isFree`, any other words too. */
export function readChoice(choices: readonly string[], isFree: boolean): (line: string) => Reading<string> {
  return (line) => {
    const words = line.trim();
    const named = choices.find((choice) => choice.toLowerCase() === words.toLowerCase());
    if (named !== undefined) return value(named);
    const isNumber = /^\d+$/.test(words);
    const chosen = isNumber ? choices[Number(words) - 1] : undefined;
    if (chosen !== undefined) return value(chosen);
    const isOther = words !== "" && (!isNumber || choices.length === 0);
    if (isFree && isOther) return value(words);
    return unclear(
      choices.length === 0
        ? "Please say something."
        : `Please give a number from 1 to ${choices.length}${isFree ? ", or words of your own" : ""}.`,
    );
  };
}
