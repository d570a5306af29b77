import type { OpenAskInfo, PermissionChangeBody, TaskInfo } from "../../../wire/http/api.ts";
import { ActionBar, type ActionBarProps } from "../actions/action-bar.tsx";
import { Compare, type CompareProps } from "../compare/compare.tsx";
import { errorText } from "../model/format.ts";
import type { PaneName } from "../model/panes.ts";
import type { SubtaskTree } from "../model/subtask-tree.ts";
import type { PaneProps } from "../pane-props.ts";
import type { ChartView } from "../panes/chart/chart-view.ts";
import { HeldChart } from "../panes/chart/held-chart.tsx";
import { OutlinePane } from "../panes/outline/outline-pane.tsx";
import { ProblemsPane } from "../panes/problems/problems-pane.tsx";
import { RawPane } from "../panes/raw/raw-pane.tsx";
import { SequencePane } from "../panes/sequence/sequence-pane.tsx";
import { SettableState } from "../panes/state/settable-state.tsx";
import { SubtaskPanel } from "../panes/subtasks/subtask-panel.tsx";
import { TranscriptPane } from "../panes/transcript/transcript-pane.tsx";
import { forkAndSend } from "../panes/why/sent-event.ts";
import { WhyPane, type WhyPaneProps } from "../panes/why/why-pane.tsx";
import type { PageSource, TaskActions } from "../source.ts";
import { openAsks } from "../sources/task-info.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { type Layout, TABS } from "./layout.ts";
import type { PaneSizes } from "./pane-sizes.ts";
import { HideButton, Split } from "./split.tsx";
import { Tabs } from "./tabs.tsx";
import type { Present } from "./use-present.ts";

export interface TaskViewProps extends CompareProps, Pick<ActionBarProps, "onError" | "onOpened" | "onLive"> {
  /** The task's entry in the task list. */
  readonly info: TaskInfo | undefined;
  readonly present: Present;
  /** The subtasks of the task. */
  readonly tree: SubtaskTree;
  /** Whether the user chose an event that is not the newest. */
  readonly isPast: boolean;
  readonly isLost: boolean;
  readonly layout: Layout;
  readonly pane: PaneName;
  /** Whether the transcript is the conversation as the model saw it. */
  readonly isAsModel: boolean;
  readonly sizes: PaneSizes;
  readonly view: ChartView | string | undefined;
  readonly actions: TaskActions | undefined;
  readonly source: PageSource;
  readonly onPane: (pane: PaneName) => void;
  readonly onAsModel: (isAsModel: boolean) => void;
  readonly onPossible: () => void;
  /** Open another task, at a record of it or at its end. */
  readonly onTask: (taskId: string, record?: number) => void;
  /** Open another task at its newest problem. */
  readonly onProblemOf: (taskId: string) => void;
}

const NAMES = {
  outline: { name: "Outline", hint: "o" },
  transcript: { name: "Transcript", hint: "3" },
  chart: { name: "Chart", hint: "1" },
  state: { name: "State", hint: "2" },
  sequence: { name: "Sequence", hint: "4" },
  problems: { name: "Problems", hint: "6" },
  why: { name: "Why", hint: "7" },
  raw: { name: "Raw", hint: "8" },
  compare: { name: "Compare", hint: "c" },
} as const satisfies Readonly<Record<PaneName, unknown>>;

/** The initial sizes of the outline, the transcript beside the inspector, and the chart above its other panes, in percent. */
const OUTLINE = 18;
const TRANSCRIPT = 53;
const CHART = 70;

/** The panes of one task, all at the same event. */
export function TaskView(props: TaskViewProps) {
  const { layout, sizes } = props;
  const bar = (
    <>
      <Subtasks {...props} />
      <Actions {...props} />
    </>
  );
  if (layout === "narrow")
    return (
      <>
        <main className="sb-main-grid">
          <PaneTabs {...props} />
        </main>
        {bar}
      </>
    );
  return (
    <main className="sb-main-grid">
      <Split
        id="outline"
        name="Width of the outline"
        share={OUTLINE}
        sizes={sizes}
        hides={{ side: "first", part: "outline" }}
      >
        <Pane {...props} name="outline" />
        {props.pane === "compare" ? (
          <div className="sb-column">
            <div className="sb-pane" data-pane="compare" tabIndex={-1}>
              <ErrorBoundary name="compare" resetKey={props.at}>
                <PaneContent {...props} name="compare" />
              </ErrorBoundary>
            </div>
            {bar}
          </div>
        ) : (
          <Split
            id="transcript"
            name="Width of the transcript"
            share={TRANSCRIPT}
            sizes={sizes}
            hides={{ side: "second", part: "inspector" }}
          >
            <div className="sb-column">
              <Pane {...props} name="transcript" />
              {bar}
            </div>
            <Inspector {...props} />
          </Split>
        )}
      </Split>
    </main>
  );
}

/** The panes about the current event. */
function Inspector(props: TaskViewProps) {
  if (props.layout !== "wide") return <PaneTabs {...props} />;
  return (
    <Split id="chart" name="Height of the chart" isStacked share={CHART} sizes={props.sizes}>
      <Pane {...props} name="chart" />
      <PaneTabs {...props} />
    </Split>
  );
}

function Subtasks({ loaded, present, layout, isLost, actions, ...props }: TaskViewProps) {
  return (
    <SubtaskPanel
      key={loaded.trace.taskId}
      trace={loaded.trace}
      tree={props.tree}
      tasks={props.tasks}
      at={props.at}
      isPast={props.isPast}
      until={present.until}
      actions={isLost ? undefined : actions}
      isNarrow={layout === "narrow"}
      onTask={props.onTask}
      onError={props.onError}
    />
  );
}

function Actions({ loaded, at, actions, info, present, ...props }: TaskViewProps) {
  if (actions === undefined) return null;
  const { trace, isLive } = loaded;
  return (
    <ActionBar
      taskId={trace.taskId}
      moment={trace.moment(at)}
      asks={withFacts(openAsks(trace, at), info)}
      isPast={props.isPast}
      isLoaded={isLive}
      isOpen={info?.isOpen ?? false}
      isLost={props.isLost}
      held={info?.held}
      isElsewhere={present.process === "alive" && info?.isOpen === false}
      ended={present.ended}
      actions={actions}
      onError={props.onError}
      onOpened={props.onOpened}
      onLive={props.onLive}
    />
  );
}

/** The asks with the facts about their calls that the task list has: rules, and the proposal. */
const withFacts = (asks: readonly OpenAskInfo[], info: TaskInfo | undefined): readonly OpenAskInfo[] =>
  asks.map((ask) => ({ ...info?.asks.find(({ askId }) => askId === ask.askId), ...ask }));

/** The panes that share one place. */
function PaneTabs(props: TaskViewProps) {
  const { layout, pane, at, sizes, onPane } = props;
  const ids = TABS[layout];
  const shown = ids.find((id) => id === pane) ?? ids[0] ?? "transcript";
  return (
    <Tabs
      label="Panes"
      tabs={ids.map((id) => ({ id, ...NAMES[id] }))}
      shown={shown}
      onShow={onPane}
      end={layout === "narrow" ? undefined : <HideButton part="inspector" sizes={sizes} />}
    >
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

/** Forks the task at a record, sends an event to the fork, and shows it. Undefined where tasks can't be changed. */
function forked({ actions, loaded, onError, onOpened }: TaskViewProps): WhyPaneProps["onFork"] {
  if (actions === undefined) return undefined;
  return (record, send) =>
    attempt(forkAndSend(actions, loaded.trace.taskId, record, send).then(onOpened), onError);
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
        <HeldChart
          {...pane}
          taskId={loaded.trace.taskId}
          view={view}
          onPossible={onPossible}
          actions={actions}
          canHold={canChange}
          held={info?.held}
          onError={onError}
        />
      ) : (
        <p className="sb-placeholder">{view ?? "Loading the chart …"}</p>
      );
    case "state":
      return (
        <SettableState
          key={loaded.trace.taskId}
          {...pane}
          info={info}
          actions={canChange ? actions : undefined}
          onError={onError}
          counterexample={props.source.counterexample}
          subtasks={{ tree: props.tree, tasks: props.tasks, isPast }}
          onPermissions={canChange ? changePermissions : undefined}
        />
      );
    case "outline":
      return (
        <OutlinePane
          {...pane}
          now={present.now}
          tasks={props.tasks}
          tree={props.tree}
          onTask={props.onTask}
          end={props.layout === "narrow" ? undefined : <HideButton part="outline" sizes={props.sizes} />}
        />
      );
    case "transcript":
      return <TranscriptPane {...pane} isAsModel={props.isAsModel} onAsModel={props.onAsModel} />;
    case "sequence":
      return <SequencePane {...pane} />;
    case "raw":
      return <RawPane {...pane} />;
    case "problems":
      return (
        <ProblemsPane
          {...pane}
          tree={props.tree}
          onTask={(id, record) => (record === undefined ? props.onProblemOf(id) : props.onTask(id, record))}
        />
      );
    case "why":
      return (
        <WhyPane
          {...pane}
          info={info}
          tree={props.tree}
          tasks={props.tasks}
          isPast={isPast}
          onTask={props.onTask}
          source={isLost ? undefined : props.source}
          onFork={isLost ? undefined : forked(props)}
        />
      );
    case "compare":
      return <Compare {...props} />;
  }
}
