import type { OpenAskInfo, PermissionChangeBody, TaskInfo } from "../../../wire/http/api.ts";
import { ActionBar, type ActionBarProps } from "../actions/action-bar.tsx";
import { holdIn } from "../actions/hold-in.ts";
import { errorText } from "../model/format.ts";
import type { PaneName } from "../model/panes.ts";
import type { PaneProps } from "../pane-props.ts";
import { ChartPane } from "../panes/chart/chart-pane.tsx";
import type { ChartView } from "../panes/chart/chart-view.ts";
import { ConversationPane } from "../panes/conversation/conversation-pane.tsx";
import { MessagesPane } from "../panes/messages/messages-pane.tsx";
import { ProblemsPane } from "../panes/problems/problems-pane.tsx";
import { SequencePane } from "../panes/sequence/sequence-pane.tsx";
import { StatePane } from "../panes/state/state-pane.tsx";
import { WhyPane } from "../panes/why/why-pane.tsx";
import type { PageSource, TaskActions } from "../source.ts";
import { openAsks } from "../sources/task-info.ts";
import { Compare, type CompareProps } from "./compare.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { type Layout, TABS } from "./layout.ts";
import { Split } from "./split.tsx";
import { Tabs } from "./tabs.tsx";
import type { Present } from "./use-present.ts";

export interface TaskViewProps extends CompareProps, Pick<ActionBarProps, "onError" | "onOpened" | "onLive"> {
  /** The task's entry in the task list. */
  readonly info: TaskInfo | undefined;
  readonly present: Present;
  /** Whether the user chose an event that is not the newest. */
  readonly isPast: boolean;
  readonly isLost: boolean;
  readonly layout: Layout;
  readonly pane: PaneName;
  readonly view: ChartView | string | undefined;
  readonly actions: TaskActions | undefined;
  readonly source: PageSource;
  readonly onPane: (pane: PaneName) => void;
  readonly onPossible: () => void;
  /** Open another task at its newest problem. */
  readonly onProblemOf: (taskId: string) => void;
}

const NAMES = {
  chart: { name: "Chart", hint: "1" },
  state: { name: "State", hint: "2" },
  messages: { name: "Messages", hint: "3" },
  sequence: { name: "Sequence", hint: "4" },
  conversation: { name: "Conversation", hint: "5" },
  problems: { name: "Problems", hint: "6" },
  why: { name: "Why", hint: "7" },
  compare: { name: "Compare", hint: "c" },
} as const satisfies Readonly<Record<PaneName, unknown>>;

/** The panes of one task, all at the same event. */
export function TaskView(props: TaskViewProps) {
  const { loaded, at, layout, actions } = props;
  const { trace, isLive } = loaded;
  const tabs = <PaneTabs {...props} />;
  const bar = actions !== undefined && (
    <ActionBar
      taskId={trace.taskId}
      moment={trace.moment(at)}
      asks={withRules(openAsks(trace, at), props.info)}
      isPast={props.isPast}
      isLoaded={isLive}
      isOpen={props.info?.isOpen ?? false}
      isLost={props.isLost}
      isElsewhere={props.present.process === "alive" && props.info?.isOpen === false}
      ended={props.present.ended}
      actions={actions}
      onError={props.onError}
      onOpened={props.onOpened}
      onLive={props.onLive}
    />
  );
  if (layout === "narrow")
    return (
      <>
        <main className="sb-main-grid">{tabs}</main>
        {bar}
      </>
    );
  const chart = <Pane {...props} name="chart" />;
  const state = <Pane {...props} name="state" />;
  if (layout === "normal")
    return (
      <main className="sb-main-grid">
        <Split name="Width of the chart" share={50}>
          {chart}
          <Split name="Height of the panes" isStacked share={60}>
            <div className="sb-column">
              {tabs}
              {bar}
            </div>
            {state}
          </Split>
        </Split>
      </main>
    );
  return (
    <main className="sb-main-grid">
      <Split name="Width of the chart" share={36}>
        {chart}
        <Split name="Width of the messages" share={50}>
          <div className="sb-column">
            <Pane {...props} name="messages" />
            {bar}
          </div>
          <Split name="Height of the panes" isStacked share={60}>
            {tabs}
            {state}
          </Split>
        </Split>
      </Split>
    </main>
  );
}

/** The asks with the rules that would allow them, which the task list has. */
const withRules = (asks: readonly OpenAskInfo[], info: TaskInfo | undefined): readonly OpenAskInfo[] =>
  asks.map((ask) => {
    const rules = info?.asks.find(({ askId }) => askId === ask.askId)?.rules;
    return rules === undefined ? ask : { ...ask, rules };
  });

/** The panes that share one place. */
function PaneTabs(props: TaskViewProps) {
  const { layout, pane, at, onPane } = props;
  const ids = TABS[layout];
  const shown = ids.find((id) => id === pane) ?? ids[0] ?? "messages";
  return (
    <Tabs label="Panes" tabs={ids.map((id) => ({ id, ...NAMES[id] }))} shown={shown} onShow={onPane}>
      <ErrorBoundary name={shown} resetKey={`${shown} ${at}`}>
        <PaneContent {...props} name={shown} />
      </ErrorBoundary>
    </Tabs>
  );
}

interface PaneContentProps extends TaskViewProps {
  readonly name: PaneName;
}

/** A pane with a place of its own. */
function Pane(props: PaneContentProps) {
  const { name, at } = props;
  return (
    <section className="sb-pane" data-pane={name} tabIndex={-1} aria-label={NAMES[name].name}>
      <ErrorBoundary name={name} resetKey={at}>
        <PaneContent {...props} />
      </ErrorBoundary>
    </section>
  );
}

/** Forks the task at a record and opens the fork. Undefined where tasks can't be changed. */
function forked({
  actions,
  loaded,
  onError,
  onOpened,
}: TaskViewProps): ((record: number) => void) | undefined {
  if (actions === undefined) return undefined;
  return (record) =>
    attempt(
      actions.fork(loaded.trace.taskId, record).then(({ id }) => onOpened(id)),
      onError,
    );
}

/** Show the error of an action, in place of an earlier one. */
function attempt(action: Promise<unknown>, onError: TaskViewProps["onError"]): void {
  onError("");
  action.catch((error: unknown) => onError(errorText(error)));
}

function PaneContent(props: PaneContentProps) {
  const { name, loaded, at, view, actions, info, present, isPast, isLost, onGo, onPossible, onError } = props;
  const pane: PaneProps = { trace: loaded.trace, at, ...present, onGo };
  const canChange = !isPast && !isLost && info?.isOpen === true && actions !== undefined;
  const changePermissions = (change: PermissionChangeBody): void => {
    if (actions !== undefined) attempt(actions.changePermissions(loaded.trace.taskId, change), onError);
  };
  switch (name) {
    case "chart":
      return typeof view === "object" ? (
        <ChartPane
          {...pane}
          view={view}
          onPossible={onPossible}
          onHold={canChange ? (path) => holdIn(actions, loaded.trace.taskId, path) : undefined}
        />
      ) : (
        <p className="sb-placeholder">{view ?? "Loading the chart …"}</p>
      );
    case "state":
      return (
        <StatePane
          {...pane}
          counterexample={props.source.counterexample}
          onPermissions={canChange ? changePermissions : undefined}
        />
      );
    case "messages":
      return <MessagesPane {...pane} />;
    case "sequence":
      return <SequencePane {...pane} />;
    case "conversation":
      return <ConversationPane {...pane} />;
    case "problems":
      return <ProblemsPane {...pane} onTask={props.onProblemOf} />;
    case "why":
      return (
        <WhyPane
          {...pane}
          info={info}
          source={isLost ? undefined : props.source}
          onFork={isLost ? undefined : forked(props)}
        />
      );
    case "compare":
      return <Compare {...props} />;
  }
}
