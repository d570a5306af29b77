import type { ReactNode } from "react";
import { DEFAULT_LIMITS } from "../../../../machines/task/limits.ts";
import type { RecordedState } from "../../../../machines/task/task.context.ts";
import type { BackgroundSubtask, Counters } from "../../../../machines/task/task.events.ts";
import type { RecordedCall } from "../../../../machines/tool-call/call.ts";
import { plural } from "../../../../present/plural.ts";
import type { PermissionChangeBody } from "../../../../wire/http/api.ts";
import type { Counterexample } from "../../../trace/counterexample.ts";
import { costText, count, duration, grouped } from "../../model/format.ts";
import { lawBrokenAt } from "../../model/laws.ts";
import { numberIn } from "../../model/subtask-name.ts";
import type { PaneProps } from "../../pane-props.ts";
import { openAsks } from "../../sources/task-info.ts";
import { shortened } from "../../text/printable.ts";
import { BrokenLaw } from "../laws/broken-law.tsx";
import { LawStrip } from "../laws/law-strip.tsx";
import { Agreement } from "./agreement.tsx";
import { BackgroundWork, type BackgroundWorkProps } from "./background-work.tsx";
import { BudgetMeters } from "./budget-meters.tsx";
import { CostPlot, type CostPlotProps } from "./cost-plot.tsx";
import { Group } from "./group.tsx";
import { PermissionsGroup } from "./permissions-group.tsx";
import { Switches, type SwitchesProps } from "./switches.tsx";
import { TransitionsTaken } from "./transitions-taken.tsx";

export interface StatePaneProps extends PaneProps {
  /** The violation that the trace leads to. */
  readonly counterexample?: Counterexample | undefined;
  /** Changes what is permitted. Absent where it can't be changed: at a past event, and in a recording. */
  readonly onPermissions?: ((change: PermissionChangeBody) => void) | undefined;
  /** Switches the mode and the model. Absent: they can't be switched here. */
  readonly switches?: SwitchesProps | undefined;
  /** The subtasks of the task. Absent: those in the background have only the facts of its own trace. */
  readonly subtasks?: BackgroundWorkProps["subtasks"];
  /** Shown below the state. */
  readonly children?: ReactNode;
}

/** The state of the task after the current event, and the laws: whether messages and machine agree (L1), and the others. */
export function StatePane({
  trace,
  at,
  until,
  ended,
  onGo,
  counterexample,
  onPermissions,
  switches,
  subtasks,
  children,
}: StatePaneProps) {
  const { index } = trace;
  const moment = trace.moment(at);
  const { derived, memory, actors } = moment;
  const { record: header } = trace.event(0);
  // No machine ran: the state of a commit is the derived one.
  const isDerived = header.kind === "header" && header.transcript !== undefined;
  const broken = lawBrokenAt(index.laws, at, counterexample);
  const { microsteps, next } = trace.event(at);
  const { mode, counters, contextTokens, model, compaction, budget, permissions, intent } = memory.facts;
  const { backgroundSubtasks = [] } = memory.facts;
  return (
    <div className="sb-facts">
      <LawStrip
        laws={index.laws}
        counterexample={counterexample}
        isDerived={isDerived}
        hasEnded={ended !== undefined}
        onGo={onGo}
      />
      <Agreement moment={moment} hasEnded={ended !== undefined} isDerived={isDerived} broken={broken?.law} />
      {broken !== undefined && counterexample?.seq !== at && <BrokenLaw broken={broken} trace={trace} />}
      <p className={ended === undefined ? "sb-description" : "sb-description sb-ended"}>
        {ended ?? derived.description}
        {ended === undefined && derived.requiredAction !== "none" && (
          <>
            {" "}
            Required: <b>{derived.requiredAction.replaceAll("_", " ")}</b>.
          </>
        )}
      </p>
      {next !== undefined && ended === undefined && (
        <p className="sb-description" role="note" aria-label="Next step">
          {shortened(next)}
        </p>
      )}
      {microsteps === undefined ? null : <TransitionsTaken microsteps={microsteps} />}
      <div className="sb-fact-grid">
        <Usage memory={memory} usage={index.usage} at={at} end={trace.length - 1} />
        <Group
          name={ended === undefined ? "running actors" : "actors that ran"}
          pills={[...actors].map(([id, since]) => (
            <button
              key={id}
              type="button"
              className="sb-pill"
              title={`${shortened(id)}: started by event ${since}`}
              onClick={() => onGo(since)}
            >
              {shortened(shortId(id), 60)}{" "}
              {ended === undefined && (
                <span className="sb-num">{duration(until - (index.times[since] ?? until))}</span>
              )}
            </button>
          ))}
        />
        <Group
          name={ended === undefined ? "open ask" : "ask that was open"}
          pills={openAsks(trace, at).map(({ askId, kind, accepts }) => (
            <span key={askId} className="sb-pill sb-pill-ask" title={`ask ${askId}`}>
              {kind} <i>{accepts.join(" / ")}</i>
            </span>
          ))}
        />
        <Group
          name="tool calls of this turn"
          pills={memory.calls.map((call) => (
            <span key={call.callId} className="sb-pill" title={shortened(call.callId)}>
              {shortened(call.name, 60)}{" "}
              <i>{shortened(phaseText(call, trace.taskId, backgroundSubtasks), 80)}</i>
            </span>
          ))}
        />
        <BackgroundWork {...{ trace, at, until, subtasks }} />
        <Group
          name="queue"
          none="empty"
          pills={memory.queue.map(({ id, text }) => (
            <span key={id} className="sb-pill" title={shortened(text, 1_000)}>
              {shortened(text, 60)}
            </span>
          ))}
        />
        <Group
          name="context"
          none="no tokens yet"
          pills={(contextTokens === undefined ? [] : [contextTokens]).map((tokens) => (
            <span
              key="tokens"
              className="sb-pill"
              title="Tokens of the conversation, as counted or estimated"
            >
              {windowUse(tokens, model?.contextWindow)}{" "}
              {compaction?.state === "requested" && (
                <i title={CONDENSED_FOR[compaction.by]}>condensed next</i>
              )}
            </span>
          ))}
        />
        {switches !== undefined ? (
          <Switches {...switches} />
        ) : (
          <Group
            name="mode"
            none="unchanged"
            pills={(mode === undefined ? [] : [mode]).map((slug) => (
              <span key={slug} className="sb-pill">
                {shortened(slug, 60)}
              </span>
            ))}
          />
        )}
        {intent != null && (
          <Group
            name="intent"
            none="none is selected yet"
            pills={
              intent.stage === "required"
                ? []
                : [
                    <span key="id" className="sb-pill">
                      {shortened(intent.id, 60)}
                    </span>,
                  ]
            }
          />
        )}
        <PermissionsGroup permissions={permissions} onChange={onPermissions} />
        {budget != null && <BudgetMeters budget={budget} />}
        {!isDerived && <Limits counters={counters} />}
      </div>
      {children}
    </div>
  );
}

/** `12,345 of 200,000 tokens (6 %)`. An older journal does not have the size of the window. */
const windowUse = (tokens: number, window: number | undefined): string =>
  window === undefined
    ? `${grouped(tokens)} tokens`
    : `${grouped(tokens)} of ${grouped(window)} tokens (${Math.round((100 * tokens) / window)} %)`;

const CONDENSED_FOR = {
  user: "The user asked for it.",
  window: "The context window is full.",
} as const;

/** The phase of a call or its outcome; of a call whose subtask has not ended, the number of the subtask. */
function phaseText(call: RecordedCall, taskId: string, background: readonly BackgroundSubtask[]): string {
  if (call.phase === "delegated") return `subtask ${numberIn(call.childId, taskId)}`;
  if (call.phase !== "settled") return call.phase;
  const subtask = background.find(({ callId, end }) => callId === call.callId && end === undefined);
  return subtask === undefined
    ? call.outcome.kind
    : `subtask ${numberIn(subtask.childId, taskId)} in the background`;
}

/** `tool:1795/toolu_3` is shown as `tool toolu_3`. */
const shortId = (id: string): string => id.replace(/:(\d+\/)?/, " ");

function Usage({ memory, usage, at, end }: { readonly memory: RecordedState } & CostPlotProps) {
  const total = memory.facts.total;
  return (
    <section className="sb-group sb-usage">
      <h4>usage</h4>
      <p className="sb-sums">
        <b className="sb-num">{costText(total === undefined ? 0 : total.cost)}</b>
        <span title="tokens in">
          ↑ <span className="sb-num">{count(total?.tokensIn ?? 0)}</span>
        </span>
        <span title="tokens out">
          ↓ <span className="sb-num">{count(total?.tokensOut ?? 0)}</span>
        </span>
        <span>{plural(memory.log.length, "message")}</span>
      </p>
      <CostPlot usage={usage} at={at} end={end} />
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

/** The counters and the default limits: a task's own limits are in no journal. */
function Limits({ counters = NONE }: { readonly counters: Counters | undefined }) {
  const meters = [
    ["requests", counters.requests, DEFAULT_LIMITS.requests],
    ["consecutive mistakes", counters.mistakes, DEFAULT_LIMITS.mistakes],
    ["consecutive retries", counters.retries, DEFAULT_LIMITS.retries],
    ["repeated calls", counters.repeated.times, DEFAULT_LIMITS.repetitions],
    ["consecutive pauses", counters.pauses, DEFAULT_LIMITS.pauses],
  ] as const;
  return (
    <section
      className="sb-group sb-limits"
      title="The limits are the defaults: a journal does not contain a task's own limits."
    >
      <h4>counters and default limits</h4>
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
