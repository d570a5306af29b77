import { useState } from "react";
import { plural } from "../../../present/plural.ts";
import type { ExplorationFigures, RecordedTasks, Verification } from "../../../wire/http/verification.ts";
import { grouped } from "../model/format.ts";
import { isWithin } from "../model/state.ts";
import type { ChartView } from "../panes/chart/chart-view.ts";
import { shortened } from "../text/printable.ts";
import { CountedChart } from "./counted-chart.tsx";
import "./lab.css";
import { LabTable } from "./lab-table.tsx";
import { RaceTables } from "./race-tables.tsx";
import { TransitionCounts } from "./transition-counts.tsx";

interface VerificationViewProps {
  readonly verification: Verification;
  /** The machine's chart. A text or undefined: there is none yet. */
  readonly view: ChartView | string | undefined;
}

/** The result of a verification: what was explored, what holds, and what recorded tasks took of it. */
export function VerificationView({ verification, view }: VerificationViewProps) {
  const { figures, explorations, laws, transitions, callTransitions, races, recorded, violations } =
    verification;
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const shown =
    selected === undefined ? transitions : transitions.filter(({ source }) => isWithin(source, selected));
  return (
    <main className="sb-suite sb-lab" aria-label="Verification">
      <p>
        <strong>
          {lawSentence(verification)} {sentenceOf(figures)}
        </strong>
      </p>
      {recorded !== undefined && <p>{recordedSentence(recorded)}</p>}
      {violations.map(({ law, what, exploration, trace }) => (
        <section key={`${law} ${what} ${exploration}`} className="sb-lab-violation">
          <p>
            <b>{law} is broken</b>, in the exploration {shortened(exploration)}: {shortened(what, 1_000)}
          </p>
          <pre>{shortened(trace, 20_000)}</pre>
        </section>
      ))}
      <div className="sb-lab-columns">
        {typeof view === "object" && (
          <CountedChart
            verification={verification}
            chart={view.chart}
            selected={selected}
            onSelect={setSelected}
          />
        )}
        <TransitionCounts
          title={`Transitions of ${selected ?? "the task"}`}
          transitions={shown}
          onAll={selected === undefined ? undefined : () => setSelected(undefined)}
        />
      </div>
      <LabTable
        title="Laws"
        heads={["Law", "Verdict", "Statement", "Steps", "Held by"]}
        rows={laws.map(({ id, title, verdict, macrosteps, heldBy }) => ({
          key: `${id} ${title}`,
          cells: [id, verdict, title, macrosteps === 0 ? "" : grouped(macrosteps), heldBy ?? "no part"],
          ...(verdict === "broken" && { mark: "bad" as const }),
        }))}
      />
      <TransitionCounts title="Transitions of a tool call" transitions={callTransitions} />
      {races !== undefined && <RaceTables races={races} />}
      <LabTable
        title="Explorations"
        heads={["Exploration", "States", "Steps", "Depth", "Seconds", ""]}
        rows={explorations.map(({ name, states, steps, depth, seconds, complete }) => ({
          key: name,
          cells: [
            name,
            grouped(states),
            grouped(steps),
            String(depth),
            seconds.toFixed(1),
            complete ? "complete" : "cut",
          ],
        }))}
      />
    </main>
  );
}

function lawSentence({ violations }: Verification): string {
  const broken = new Set(violations.map(({ law }) => law));
  return broken.size === 0 ? "No law was broken." : `Broken: ${[...broken].join(", ")}.`;
}

const sentenceOf = ({ states, steps, depth, seconds, complete }: ExplorationFigures): string =>
  `${grouped(states)} states, ${grouped(steps)} steps, depth ${depth}, ${seconds.toFixed(1)} s: ${
    complete ? "each state within the bounds was visited" : "the exploration was cut"
  }.`;

function recordedSentence({ tasks, events, damaged }: RecordedTasks): string {
  const counted = `Recorded: ${plural(tasks, "task")} with ${plural(events, "event")}.`;
  const left = damaged.length === 0 ? "" : ` Counted up to their damage: ${damaged.join(", ")}.`;
  return `${counted} "or 3" is about transitions that differ only in their guards: a journal does not tell which was taken.${left}`;
}
