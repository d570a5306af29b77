import type { ReactNode } from "react";
import type { TaskCard } from "../../../wire/index.ts";
import { ActBar } from "../act/index.ts";
import type { PaneProps } from "../pane.ts";
import { ChartPane, type DrawnChart } from "../panes/chart/index.ts";
import { ConversationPane } from "../panes/conversation/index.ts";
import { MessagesPane } from "../panes/messages/index.ts";
import { SequencePane } from "../panes/sequence/index.ts";
import { StatePane } from "../panes/state/index.ts";
import type { TaskActions } from "../source.ts";
import { openAsks } from "../sources/index.ts";
import { Compare } from "./compare.tsx";
import { Guard } from "./guard.tsx";
import { Split } from "./split.tsx";
import { Tabs } from "./tabs.tsx";
import type { SeenTrace } from "./use-trace.ts";
import { useWidth } from "./use-width.ts";

export type PaneName = "messages" | "sequence" | "conversation" | "compare";

/** From this width on, in pixels, the messages have a place of their own beside the other panes. */
const WIDE = 1_600;

export interface TaskViewProps {
  readonly seen: SeenTrace;
  readonly other: SeenTrace | undefined;
  readonly tasks: readonly TaskCard[];
  readonly card: TaskCard | undefined;
  readonly at: number;
  readonly isFollowing: boolean;
  readonly pane: PaneName;
  readonly beside: string | undefined;
  readonly drawn: DrawnChart | string | undefined;
  readonly actions: TaskActions | undefined;
  readonly onGo: (seq: number) => void;
  readonly onPane: (pane: PaneName) => void;
  readonly onBeside: (taskId: string | undefined) => void;
  readonly onLabels: () => void;
  readonly onOpened: (taskId: string) => void;
  readonly onLive: () => void;
  readonly onProblem: (words: string) => void;
}

/** The panes of one task, all at the same place of its trace. */
export function TaskView(props: TaskViewProps) {
  const { seen, at, isFollowing, drawn, actions, card, onGo } = props;
  const isWide = useWidth() >= WIDE;
  const isAtEnd = at === seen.trace.length - 1;
  const pane: PaneProps = {
    trace: seen.trace,
    at,
    version: seen.version,
    onGo,
    ...(isAtEnd && isFollowing && actions !== undefined && { actions }),
  };
  const chart = (
    <section className="sb-pane" data-pane="chart" aria-label="Chart">
      {typeof drawn === "object" ? (
        <Guard name="chart" trial={at}>
          <ChartPane {...pane} index={seen.index} drawn={drawn} onLabels={props.onLabels} />
        </Guard>
      ) : (
        <p className="sb-absent">{drawn ?? "Laying out the machine …"}</p>
      )}
    </section>
  );
  const state = (
    <section className="sb-pane sb-pane-scroll" data-pane="state" tabIndex={-1} aria-label="State">
      <Guard name="state" trial={at}>
        <StatePane {...pane} index={seen.index} />
      </Guard>
    </section>
  );
  const bar = actions !== undefined && (
    <ActBar
      taskId={seen.trace.taskId}
      moment={seen.trace.moment(at)}
      asks={openAsks(seen.trace, at)}
      isAtEnd={isAtEnd}
      isOpen={card?.isOpen ?? false}
      actions={actions}
      onProblem={props.onProblem}
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
                <Guard name="messages" trial={at}>
                  <MessagesPane {...pane} />
                </Guard>
              </section>
              {bar}
            </div>
            <Split name="Height of the panes" isStacked share={60}>
              <Reading
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
              <Reading {...props} isWide={false} given={pane} />
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

/** The panes that are read share a place. */
function Reading(props: TaskViewProps & { readonly isWide: boolean; readonly given: PaneProps }): ReactNode {
  const { pane, given, onPane, isWide, seen, other, tasks, beside, at, onGo, onBeside } = props;
  const tabs = TABS.filter(({ id }) => !(isWide && id === "messages"));
  return (
    <Tabs label="Reading" tabs={tabs} shown={pane} onShow={onPane}>
      <div className="sb-fill" data-pane="reading" tabIndex={-1}>
        <Guard name={pane} trial={`${pane} ${at}`}>
          {pane === "messages" && <MessagesPane {...given} />}
          {pane === "sequence" && <SequencePane {...given} />}
          {pane === "conversation" && <ConversationPane {...given} />}
        </Guard>
        {pane === "compare" && (
          <Compare
            one={seen}
            other={other}
            tasks={tasks}
            beside={beside}
            at={at}
            onGo={onGo}
            onBeside={onBeside}
          />
        )}
      </div>
    </Tabs>
  );
}
