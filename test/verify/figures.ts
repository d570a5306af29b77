/** The lines at the end of what a verification prints: all figures in short. */
export function summaryIn(text: string): string {
  const [found] = text.match(/^\d+ states, .*\n\d+ of the machine's \d+ transitions taken$/m) ?? [];
  if (found === undefined) throw new Error("Expected the summary of `signalbox verify`, and there is none.");
  return found;
}

/** What every run prints alike: without seconds, and what is counted by them. */
export const withoutTimes = (text: string): string =>
  text
    .replace(/\d+\.\d s, \d+ states a second/g, "")
    .replace(/ +\d+\.\d +(complete|cut)$/gm, " $1")
    .replace(/depth +s$/m, "depth s");
