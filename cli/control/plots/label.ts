import { printable } from "../../../client/printable/printable.ts";
import { withoutForbidden } from "../../../visualize/chart/xml.ts";

/** Format a name, which may be any text, on one line without invisible characters. */
export const labelOf = (name: string): string =>
  withoutForbidden(printable(name).replace(/\s+/g, " ").trim()) || "(blank)";

/** Maximum characters of a label in a plot. */
const CHARACTERS_MAX = 40;

/** Format a name as a label of a plot, where longer ones are cut. */
export function shortLabel(name: string): string {
  const characters = [...labelOf(name)];
  return characters.length > CHARACTERS_MAX
    ? `${characters.slice(0, CHARACTERS_MAX - 1).join("")}…`
    : characters.join("");
}
