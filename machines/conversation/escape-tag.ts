/** Text in the element `name`, which it must not close. */
export const escapeTag = (name: string, text: string): string =>
  text.replaceAll(new RegExp(`<(/?${name})`, "gi"), "<\\$1");
