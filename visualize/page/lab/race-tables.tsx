import { useMemo, useState } from "react";
import type { VerifiedRace, VerifiedRaces } from "../../../wire/http/verification.ts";
import { grouped } from "../model/format.ts";
import { shortened } from "../text/printable.ts";
import { LabTable } from "./lab-table.tsx";

/** The pairs of events that race in a state: a matrix, and the outcomes of the pairs whose order matters. */
export function RaceTables({ races: { pairs, complete, races } }: { readonly races: VerifiedRaces }) {
  const states = useMemo(() => statesOf(races), [races]);
  const [chosen, setChosen] = useState(states[0] ?? "");
  const inState = useMemo(() => races.filter((race) => race.in[chosen] !== undefined), [races, chosen]);
  const ordered = inState.filter(({ isSame }) => !isSame);
  return (
    <section aria-label="Racing events">
      <h2>Racing events</h2>
      <p>
        {grouped(pairs)} pairs, each in both orders{complete ? "" : " (cut)"}. = has the same outcome in both
        orders; ≠ has not. Events are late if they change nothing.
      </p>
      <label>
        State
        <select value={chosen} onChange={({ target }) => setChosen(target.value)}>
          {states.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </select>
      </label>
      <RaceMatrix state={chosen} races={inState} />
      <LabTable
        title={`The order matters in ${chosen}: ${ordered.length} of ${inState.length}`}
        heads={["First", "Second", "Outcome", "After the first", "After the second"]}
        rows={ordered.map(({ first, second, end, outcomes: [one, other] }) => ({
          key: [first, second, end].join("\n"),
          cells: [first, second, end, one.join(", "), other.join(", ")],
        }))}
      />
    </section>
  );
}

/** The states in which events race, the ones with the most pairs first. */
function statesOf(races: readonly VerifiedRace[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const race of races)
    for (const state of Object.keys(race.in)) sums.set(state, (sums.get(state) ?? 0) + 1);
  return [...sums].sort(([, one], [, other]) => other - one).map(([state]) => state);
}

interface RaceMatrixProps {
  readonly state: string;
  readonly races: readonly VerifiedRace[];
}

/** Each event of a state beside each other one. Columns have the numbers of the rows. */
function RaceMatrix({ state, races }: RaceMatrixProps) {
  const events = [...new Set(races.flatMap(({ first, second }) => [first, second]))].sort();
  const signs = new Map<string, string>();
  for (const { first, second, isSame } of races)
    for (const key of [`${first}\n${second}`, `${second}\n${first}`])
      signs.set(key, isSame ? (signs.get(key) ?? "=") : "≠");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus of the keyboard.
    <section className="sb-suite-table sb-races" aria-label={`Race matrix of ${state}`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Event</th>
            {events.map((event, index) => (
              <th key={event} scope="col" title={event}>
                {index + 1}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {events.map((event, row) => (
            <tr key={event}>
              <th scope="row">
                {row + 1} {shortened(event, 80)}
              </th>
              {events.map((other) => {
                const sign = signs.get(`${event}\n${other}`) ?? "";
                return (
                  <td key={other} data-sign={sign} title={sign && `${event} ${sign} ${other}`}>
                    {sign}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
