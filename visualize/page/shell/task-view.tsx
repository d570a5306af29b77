import { useSyncExternalStore } from "react";
import type { TaskInfo } from "../../../wire/index.ts";
import { ActionBar, type ActionBarProps } from "../actions/action-bar.tsx";
import type { PaneProps } from "../pane-props.ts";
import { ChartPane, type ChartView } from "../panes/chart/chart-pane.tsx";
import { ConversationPane } from "../panes/conversation/conversation-pane.tsx";
import { MessagesPane } from "../panes/messages/messages-pane.tsx";
import { SequencePane } from "../panes/sequence/sequence-pane.tsx";
import { StatePane } from "../panes/state/state-pane.tsx";
import type { TaskActions } from "../source.ts";
import { openAsks } from "../sources/index.ts";
import { Compare, type CompareProps } from "./compare.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { Split } from "./split.tsx";
import { Tabs } from "./tabs.tsx";

export type PaneName = "messages" | "sequence" | "conversation" | "compare";

/** The width in pixels from which the messages have a column of their own. */
const WIDE = 1_600;

export interface TaskViewProps extends CompareProps, Pick<ActionBarProps, "onError" | "onOpened" | "onLive"> {
  /** The task's entry in the task list. */
  readonly info: TaskInfo | undefined;
  readonly pane: PaneName;
  readonly view: ChartView | string | undefined;
  readonly actions: TaskActions | undefined;
  readonly onPane: (pane: PaneName) => void;
  readonly onLabels: () => void;
}

const TABS = [
  { id: "messages", name: "Messages", hint: "3" },
  { id: "sequence", name: "Sequence", hint: "4" },
  { id: "conversation", name: "Conversation", hint: "5" },
  { id: "compare", name: "Compare", hint: "c" },
] as const;

/** The panes of one task, all at the same event. */
export function TaskView(props: TaskViewProps) {
  const { loaded, at, view, actions, onGo } = props;
  const { trace } = loaded;
  const isWide = useWidth() >= WIDE;
  const pane: PaneProps = { trace, at, onGo };
  const chart = (
    <section className="sb-pane" data-pane="chart" aria-label="Chart">
      {typeof view === "object" ? (
        <ErrorBoundary name="chart" resetKey={at}>
          <ChartPane {...pane} view={view} onLabels={props.onLabels} />
        </ErrorBoundary>
      ) : (
        <p className="sb-placeholder">{view ?? "Loading the chart …"}</p>
      )}
    </section>
  );
  const state = (
    <section className="sb-pane sb-pane-scroll" data-pane="state" tabIndex={-1} aria-label="State">
      <ErrorBoundary name="state" resetKey={at}>
        <StatePane {...pane} />
      </ErrorBoundary>
    </section>
  );
  const bar = actions !== undefined && (
    <ActionBar
      taskId={trace.taskId}
      moment={trace.moment(at)}
      asks={openAsks(trace, at)}
      isAtEnd={at === trace.length - 1}
      isOpen={props.info?.isOpen ?? false}
      actions={actions}
      onError={props.onError}
      onOpened={props.onOpened}
      onLive={props.onLive}
    />
  );
  const tab = isWide && props.pane === "messages" ? "sequence" : props.pane;
  const tabs = (
    <Tabs
      label="Panes"
      tabs={TABS.filter(({ id }) => !(isWide && id === "messages"))}
      shown={tab}
      onShow={props.onPane}
    >
      <div className="sb-fill" data-pane="tabs" tabIndex={-1}>
        <ErrorBoundary name={tab} resetKey={`${tab} ${at}`}>
          {tab === "messages" && <MessagesPane {...pane} />}
          {tab === "sequence" && <SequencePane {...pane} />}
          {tab === "conversation" && <ConversationPane {...pane} />}
        </ErrorBoundary>
        {tab === "compare" && <Compare {...props} />}
      </div>
    </Tabs>
  );
  return (
    <main className="sb-main-grid">
      <Split name="Width of the chart" share={isWide ? 36 : 48}>
        {chart}
        {isWide ? (
          <Split name="Width of the messages" share={50}>
            <div className="sb-column">
              <section className="sb-pane" aria-label="Messages">
                <ErrorBoundary name="messages" resetKey={at}>
                  <MessagesPane {...pane} />
                </ErrorBoundary>
              </section>
              {bar}
            </div>
            <Split name="Height of the panes" isStacked share={60}>
              {tabs}
              {state}
            </Split>
          </Split>
        ) : (
          <Split name="Height of the panes" isStacked share={60}>
            <div className="sb-column">
              {tabs}
              {bar}
            </div>
            {state}
          </Split>
        )}
      </Split>
    </main>
  );
}

const subscribeToWidth = (onChange: () => void): (() => void) => {
  addEventListener("resize", onChange);
  return () => removeEventListener("resize", onChange);
};

/** The width of the window, in pixels. */
const useWidth = (): number => useSyncExternalStore(subscribeToWidth, () => innerWidth);
