/** The summary at the end of the output of `signalbox verify`. */
export function summaryIn(text: string): string {
  const summary =
    /^\d+ states, .*\n\d+ of the machine's \d+ transitions taken\n\d+ of a tool call's \d+ transitions taken$/m;
  const [found] = text.match(summary) ?? [];
  if (found === undefined) throw new Error("Expected the summary of `signalbox verify`, found none.");
  return found;
}

/** The output without times and rates. */
export const withoutTimes = (text: string): string =>
  text
    .replace(/\d+\.\d s, \d+ states a second/g, "")
    .replace(/ +\d+\.\d +(complete|cut)$/gm, " $1")
    .replace(/depth +s$/gm, "depth s");
