import type { ReactNode } from "react";
import type { TaskInfo } from "../../../wire/index.ts";
import { ActionBar } from "../actions/action-bar.tsx";
import type { PaneProps } from "../pane-props.ts";
import { ChartPane, type ChartView } from "../panes/chart/chart-pane.tsx";
import { ConversationPane } from "../panes/conversation/conversation-pane.tsx";
import { MessagesPane } from "../panes/messages/messages-pane.tsx";
import { SequencePane } from "../panes/sequence/sequence-pane.tsx";
import { StatePane } from "../panes/state/state-pane.tsx";
import type { TaskActions } from "../source.ts";
import { openAsks } from "../sources/index.ts";
import { Compare } from "./compare.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { Split } from "./split.tsx";
import { Tabs } from "./tabs.tsx";
import type { LoadedTrace } from "./use-trace.ts";
import { useWidth } from "./use-width.ts";

export type PaneName = "messages" | "sequence" | "conversation" | "compare";

/** The width in pixels from which the messages have a column of their own. */
const WIDE = 1_600;

export interface TaskViewProps {
  readonly loaded: LoadedTrace;
  readonly other: LoadedTrace | undefined;
  readonly tasks: readonly TaskInfo[];
  readonly card: TaskInfo | undefined;
  readonly at: number;
  readonly isFollowing: boolean;
  readonly pane: PaneName;
  readonly comparedWith: string | undefined;
  readonly view: ChartView | string | undefined;
  readonly actions: TaskActions | undefined;
  readonly onGo: (seq: number) => void;
  readonly onPane: (pane: PaneName) => void;
  readonly onComparedWith: (taskId: string | undefined) => void;
  readonly onLabels: () => void;
  readonly onOpened: (taskId: string) => void;
  readonly onLive: () => void;
  readonly onError: (message: string) => void;
}

/** The panes of one task, all at the same event. */
export function TaskView(props: TaskViewProps) {
  const { loaded, at, isFollowing, view, actions, card, onGo } = props;
  const isWide = useWidth() >= WIDE;
  const isAtEnd = at === loaded.trace.length - 1;
  const pane: PaneProps = {
    trace: loaded.trace,
    at,
    version: loaded.version,
    onGo,
    ...(isAtEnd && isFollowing && actions !== undefined && { actions }),
  };
  const chart = (
    <section className="sb-pane" data-pane="chart" aria-label="Chart">
      {typeof view === "object" ? (
        <ErrorBoundary name="chart" resetKey={at}>
          <ChartPane {...pane} index={loaded.index} view={view} onLabels={props.onLabels} />
        </ErrorBoundary>
      ) : (
        <p className="sb-placeholder">{view ?? "Loading the chart …"}</p>
      )}
    </section>
  );
  const state = (
    <section className="sb-pane sb-pane-scroll" data-pane="state" tabIndex={-1} aria-label="State">
      <ErrorBoundary name="state" resetKey={at}>
        <StatePane {...pane} index={loaded.index} />
      </ErrorBoundary>
    </section>
  );
  const bar = actions !== undefined && (
    <ActionBar
      taskId={loaded.trace.taskId}
      moment={loaded.trace.moment(at)}
      asks={openAsks(loaded.trace, at)}
      isAtEnd={isAtEnd}
      isOpen={card?.isOpen ?? false}
      actions={actions}
      onError={props.onError}
      onOpened={props.onOpened}
      onLive={props.onLive}
    />
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
              <TabbedPanes
                {...props}
                pane={props.pane === "messages" ? "sequence" : props.pane}
                isWide
                given={pane}
              />
              {state}
            </Split>
          </Split>
        ) : (
          <Split name="Height of the panes" isStacked share={60}>
            <div className="sb-column">
              <TabbedPanes {...props} isWide={false} given={pane} />
              {bar}
            </div>
            {state}
          </Split>
        )}
      </Split>
    </main>
  );
}

const TABS = [
  { id: "messages", name: "Messages", hint: "3" },
  { id: "sequence", name: "Sequence", hint: "4" },
  { id: "conversation", name: "Conversation", hint: "5" },
  { id: "compare", name: "Compare", hint: "c" },
] as const;

/** The panes that share a column. */
function TabbedPanes(
  props: TaskViewProps & { readonly isWide: boolean; readonly given: PaneProps },
): ReactNode {
  const { pane, given, onPane, isWide, loaded, other, tasks, comparedWith, at, onGo, onComparedWith } = props;
  const tabs = TABS.filter(({ id }) => !(isWide && id === "messages"));
  return (
    <Tabs label="Panes" tabs={tabs} shown={pane} onShow={onPane}>
      <div className="sb-fill" data-pane="tabs" tabIndex={-1}>
        <ErrorBoundary name={pane} resetKey={`${pane} ${at}`}>
          {pane === "messages" && <MessagesPane {...given} />}
          {pane === "sequence" && <SequencePane {...given} />}
          {pane === "conversation" && <ConversationPane {...given} />}
        </ErrorBoundary>
        {pane === "compare" && (
          <Compare
            one={loaded}
            other={other}
            tasks={tasks}
            comparedWith={comparedWith}
            at={at}
            onGo={onGo}
            onComparedWith={onComparedWith}
          />
        )}
      </div>
    </Tabs>
  );
}
