import type { Race, RaceMatrix } from "./races.ts";

/** Format a race matrix: first the pairs whose order matters, with both outcomes, then the others. */
export function formatRaces({ states, sampled, complete, pairs, races, violations }: RaceMatrix): string {
  const ordered = races.filter(({ end }) => end !== "same outcome");
  const same = new Map<string, string[]>();
  for (const race of races) {
    if (race.end !== "same outcome") continue;
    const seconds = same.get(race.first) ?? [];
    seconds.push(`${race.second} (${race.states})`);
    same.set(race.first, seconds);
  }
  return `${[
    `${states} states explored (${complete ? "complete" : "cut"}), ${sampled === states ? "each" : `one of each of ${sampled} kinds`} checked; ${pairs} pairs, each in both orders: ${violations.length === 0 ? "all laws hold in each" : `${violations.length} violations`}`,
    "",
    "The order matters:",
    ...ordered.flatMap(orderLines),
    "",
    "Same outcome in both orders (number of states):",
    ...[...same].map(([first, seconds]) => `${first} | ${seconds.join(", ")}`),
  ].join("\n")}\n`;
}

function orderLines({ first, second, end, states, outcomes, differsIn }: Race): readonly string[] {
  const [before, after] = outcomes.map((set) => [...set].sort().join(", "));
  return [
    `${first} | ${second}: ${end} (${states}); differs in ${[...differsIn].sort().join(", ")}`,
    `    ${first} first = ${before}`,
    `    ${second} first = ${after}`,
  ];
}
