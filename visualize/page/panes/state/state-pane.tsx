import type { ReactNode } from "react";
import { type Counters, DEFAULT_LIMITS, type Memory } from "../../../../machines/index.ts";
import type { Moment } from "../../../../trace/index.ts";
import { count, dollars, duration, plural } from "../../model/format.ts";
import { topOf } from "../../model/state.ts";
import type { TraceIndex } from "../../model/trace-index.ts";
import type { PaneProps } from "../../pane.ts";
import { StateChip } from "../../shell/state-mark.tsx";
import { openAsks } from "../../sources/index.ts";
import { shortened } from "../../text/index.ts";
import { SpentPlot } from "./plot.tsx";
import { RowsTaken } from "./rows-taken.tsx";

/** What each rule of derivation looks at. */
const RULES: Readonly<Record<Moment["rule"], string>> = {
  R0: "there are no rows",
  R1: "the last row is partial",
  R2: "the last row is an ask",
  R3: "the newest request is open",
  R4: "none of the others: it works",
};

export interface StatePaneProps extends PaneProps {
  readonly index: TraceIndex;
}

/** What is known of the task at this place, and whether the rows and the machine say the same (L1). */
export function StatePane({ trace, at, index, onGo }: StatePaneProps) {
  const moment = trace.moment(at);
  const { derived, rule, state, memory, actors } = moment;
  const agrees = derived.state === topOf(state);
  const { microsteps } = trace.event(at);
  return (
    <div className="sb-facts">
      <section className="sb-agree" data-agrees={agrees} aria-label="State">
        <div>
          <h4>the rows mean</h4>
          <StateChip state={derived.state} />
          <p>
            <b className="sb-rule-name">{rule}</b> {RULES[rule]}
          </p>
        </div>
        <span className="sb-sign" role="img" aria-label={agrees ? "they agree" : "they differ"} title="L1">
          {agrees ? "=" : "≠"}
        </span>
        <div>
          <h4>the machine is in</h4>
          <StateChip state={topOf(state)} path={state} />
          <p>{agrees ? "L1 holds" : "L1 is broken"}</p>
        </div>
      </section>
      <p className="sb-says">
        {derived.description}
        {derived.requiredAction !== "none" && (
          <>
            {" "}
            Wanted: <b>{derived.requiredAction.replaceAll("_", " ")}</b>.
          </>
        )}
      </p>
      {microsteps === undefined ? null : <RowsTaken microsteps={microsteps} />}
      <div className="sb-fact-grid">
        <Spending memory={memory} index={index} at={at} end={trace.length - 1} />
        <Group name="at work" isEmpty={actors.size === 0} none="nobody">
          {[...actors].map(([id, since]) => (
            <button
              key={id}
              type="button"
              className="sb-pill"
              title={`${shortened(id)}: started by event ${since}`}
              onClick={() => onGo(since)}
            >
              {shortened(shortId(id), 60)}{" "}
              <span className="sb-num">{duration((index.times[at] ?? 0) - (index.times[since] ?? 0))}</span>
            </button>
          ))}
        </Group>
        <Asks trace={trace} at={at} />
        <Group name={`calls of this turn`} isEmpty={memory.calls.length === 0} none="none">
          {memory.calls.map(({ callId, name, phase }) => (
            <span key={callId} className="sb-pill" title={shortened(callId)}>
              {shortened(name, 60)} <i>{phase}</i>
            </span>
          ))}
        </Group>
        <Group name="queue" isEmpty={memory.queue.length === 0} none="empty">
          {memory.queue.map(({ id, text }) => (
            <span key={id} className="sb-pill" title={shortened(text, 1_000)}>
              {shortened(text, 60)}
            </span>
          ))}
        </Group>
        <Group name="mode" isEmpty={memory.facts.mode === undefined} none="as it began">
          <span className="sb-pill">{shortened(memory.facts.mode ?? "", 60)}</span>
        </Group>
        <Limits counters={memory.facts.counters} />
      </div>
    </div>
  );
}

/** `tool:1795/toolu_3` is read as `tool toolu_3`. */
const shortId = (id: string): string => id.replace(/:(\d+\/)?/, " ");

function Group({
  name,
  isEmpty,
  none,
  children,
}: {
  readonly name: string;
  readonly isEmpty: boolean;
  readonly none: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="sb-group">
      <h4>{name}</h4>
      {isEmpty ? <span className="sb-none">{none}</span> : <div className="sb-pills">{children}</div>}
    </section>
  );
}

function Asks({ trace, at }: Pick<StatePaneProps, "trace" | "at">) {
  const asks = openAsks(trace, at);
  return (
    <Group name="open ask" isEmpty={asks.length === 0} none="none">
      {asks.map(({ askId, kind, accepts }) => (
        <span key={askId} className="sb-pill sb-pill-ask" title={`ask ${askId}`}>
          {kind} <i>{accepts.join(" / ")}</i>
        </span>
      ))}
    </Group>
  );
}

function Spending({
  memory,
  index,
  at,
  end,
}: { readonly memory: Memory; readonly end: number } & Pick<StatePaneProps, "index" | "at">) {
  const total = memory.facts.total;
  return (
    <section className="sb-group sb-spending">
      <h4>spent</h4>
      <p className="sb-sums">
        <b className="sb-num">{dollars(total?.cost ?? 0)}</b>
        <span title="tokens in">
          ↑ <span className="sb-num">{count(total?.tokensIn ?? 0)}</span>
        </span>
        <span title="tokens out">
          ↓ <span className="sb-num">{count(total?.tokensOut ?? 0)}</span>
        </span>
        <span>{plural(memory.log.length, "row")}</span>
      </p>
      <SpentPlot spent={index.spent} at={at} end={end} />
    </section>
  );
}

const NONE: Counters = {
  mistakes: 0,
  noToolUses: 0,
  retries: 0,
  pauses: 0,
  requests: 0,
  cost: 0,
  repeated: { digest: "", times: 0 },
};

/** The counters beside the limits of the package: a task's own limits are in no journal. */
function Limits({ counters = NONE }: { readonly counters: Counters | undefined }) {
  const meters = [
    ["requests", counters.requests, DEFAULT_LIMITS.requests],
    ["mistakes in a row", counters.mistakes, DEFAULT_LIMITS.mistakes],
    ["retries in a row", counters.retries, DEFAULT_LIMITS.retries],
    ["the same call", counters.repeated.times, DEFAULT_LIMITS.repetitions],
    ["pauses in a row", counters.pauses, DEFAULT_LIMITS.pauses],
  ] as const;
  return (
    <section
      className="sb-group sb-limits"
      title="The limits are the package's defaults: a journal doesn't say a task's own."
    >
      <h4>counters, of the default limits</h4>
      {meters.map(([name, value, limit]) => (
        <div key={name} className="sb-meter">
          <span>{name}</span>
          <meter min={0} max={limit} high={limit * 0.75} value={value} aria-label={name} />
          <span className="sb-num">
            {value} / {limit}
          </span>
        </div>
      ))}
    </section>
  );
}
