import { useCallback, useMemo, useRef, useState } from "react";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { BreakpointPanel } from "../actions/breakpoint-panel.tsx";
import { type PageLocation, paneIn } from "../model/location.ts";
import { type Navigation, navigate } from "../model/navigation.ts";
import type { PaneName } from "../model/panes.ts";
import { placeIn } from "../model/place.ts";
import { CounterexampleBanner } from "../panes/laws/counterexample-banner.tsx";
import type { PageSource, TaskActions } from "../source.ts";
import { type Connection, isLost as isConnectionLost } from "../sources/connection.ts";
import { SuiteView } from "../suite/suite-view.tsx";
import { useSuite } from "../suite/use-suite.ts";
import { shortened } from "../text/printable.ts";
import { TIMELINE_OPTIONS } from "../timeline/options.ts";
import type { PageClock } from "./clock.ts";
import type { Command } from "./commands.ts";
import { Header, type Theme, useTheme } from "./header.tsx";
import { Help } from "./help.tsx";
import { TABS, useLayout } from "./layout.ts";
import { TaskView } from "./task-view.tsx";
import { TaskList, type TaskListProps } from "./tasks/task-list.tsx";
import { goToMatch, Timeline } from "./timeline.tsx";
import { useChart } from "./use-chart.ts";
import { useKeys } from "./use-keys.ts";
import { useLocation } from "./use-location.ts";
import { useNotifications } from "./use-notifications.ts";
import { SPEEDS, type Speed, usePlayback } from "./use-playback.ts";
import { usePresent } from "./use-present.ts";
import { useProblemOf } from "./use-problem-of.ts";
import { useTasks, useTrace } from "./use-trace.ts";

export interface AppProps {
  readonly source: PageSource;
  /** The initial task and event; with `isBookmarked` the page's address overrides it. */
  readonly start: PageLocation;
  readonly isBookmarked: boolean;
  readonly theme: Theme;
  /** Undefined: the source is recorded. */
  readonly connection: Connection | undefined;
  readonly clock: PageClock;
}

/** The whole debugger. */
export function App({ source, start, isBookmarked, theme: firstTheme, connection, clock }: AppProps) {
  const root = useRef<HTMLDivElement>(null);
  const [shown, go] = useLocation(isBookmarked, start);
  const layout = useLayout(root);
  const [theme, nextTheme] = useTheme(firstTheme);
  const isTaskList = shown.view === "tasks";
  const pane = paneIn(shown);
  const isComparing = pane === "compare";
  const [hasHelp, setHelp] = useState(false);
  const [hasBreakpoints, setBreakpoints] = useState(false);
  const [showsPossible, setPossible] = useState(false);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const [query, setQuery] = useState("");
  const [timeline, setTimeline] = useState(TIMELINE_OPTIONS);
  const [error, setError] = useState("");
  const tasks = useTasks(source);
  const suite = useSuite(source, [shown, go], setError);
  const taskId = shown.task ?? tasks?.[0]?.id;
  const info = tasks?.find(({ id }) => id === taskId);
  const loaded = useTrace(source, taskId, setError);
  const other = useTrace(source, shown.comparedWith, setError);
  const view = useChart(source, showsPossible);

  const actions = actionsOn(info, source);
  const trace = loaded?.trace;
  const { end, at, isPast, isFollowing } = placeIn(trace, shown);
  const isLost = isConnectionLost(connection);
  const present = usePresent({ trace, at, info, connection, clock });
  const index = trace?.index;
  const matches = useMemo(() => (query === "" ? NOTHING : (index?.find(query) ?? NOTHING)), [index, query]);
  const goTo = useCallback((seq: number) => go({ at: seq }), [go]);
  const pause = useCallback(() => setPlaying(false), []);
  usePlayback(isPlaying, speed, { index, at, end }, goTo, pause);

  const step = (by: Navigation): void => {
    pause();
    if (trace !== undefined) go({ at: navigate(by, trace.index, at) });
  };
  const play = (): void => {
    if (!isPlaying && at >= end) goTo(0);
    setPlaying(!isPlaying);
  };
  const faster = (by: 1 | -1): void => setSpeed((now) => SPEEDS[SPEEDS.indexOf(now) + by] ?? now);
  const open = useCallback(
    (id: string, record?: number) => {
      pause();
      go({ task: id, at: undefined, view: undefined, record });
    },
    [pause, go],
  );
  const askToNotify = useNotifications(connection && tasks, open);
  const goToProblem = (direction: 1 | -1): void => {
    pause();
    const problem = trace?.index.problems.next(at, direction);
    if (problem !== undefined) goTo(problem.seq);
  };
  const openProblemOf = useProblemOf(loaded, taskId, open, goTo);
  const compare = (): void =>
    go({
      ...(isComparing && { comparedWith: undefined }),
      pane: isComparing ? undefined : "compare",
      view: undefined,
    });
  const toggleTasks = (): void => go({ view: isTaskList ? undefined : "tasks" });
  const focus = (selector: string): void => root.current?.querySelector<HTMLElement>(selector)?.focus();
  const showPane = (name: PaneName): void => {
    const isTab = TABS[layout].includes(name);
    if (isTab) go({ pane: name });
    focus(`[data-pane="${isTab ? "tabs" : name}"]`);
  };
  const commands: Readonly<Record<Command, () => void>> = {
    next: () => step("next"),
    back: () => step("back"),
    nextState: () => step("nextState"),
    backState: () => step("backState"),
    first: () => step("first"),
    live: () => step("live"),
    nextProblem: () => goToProblem(1),
    backProblem: () => goToProblem(-1),
    play,
    faster: () => faster(1),
    slower: () => faster(-1),
    search: () => focus("[data-search]"),
    nextMatch: () => goToMatch(1, { matches, at, onGo: goTo }),
    backMatch: () => goToMatch(-1, { matches, at, onGo: goTo }),
    chart: () => showPane("chart"),
    state: () => showPane("state"),
    messages: () => showPane("messages"),
    sequence: () => showPane("sequence"),
    conversation: () => showPane("conversation"),
    problems: () => showPane("problems"),
    why: () => showPane("why"),
    actions: () => focus(".sb-action-bar :is(button, input)"),
    breakpoints: () => setBreakpoints(actions !== undefined && !hasBreakpoints),
    tasks: toggleTasks,
    compare,
    theme: nextTheme,
    help: () => setHelp(!hasHelp),
  };
  useKeys(root, isBookmarked, (command) => commands[command]());

  return (
    <div ref={root} className="signalbox" data-theme={theme}>
      <Header
        title={info === undefined ? taskId : titleOf(info)}
        parent={tasks?.find(({ id }) => id === info?.parentId)}
        moment={trace?.moment(at)}
        info={info}
        isAtEnd={!isPast}
        connection={connection}
        theme={theme}
        isTaskList={isTaskList}
        suite={suite}
        isComparing={isComparing}
        tasks={tasks?.length ?? 0}
        hasActions={actions !== undefined}
        onOpen={open}
        onTheme={nextTheme}
        onTaskList={toggleTasks}
        onCompare={compare}
        onBreakpoints={commands.breakpoints}
        onHelp={() => setHelp(true)}
      />
      <SuiteView suite={suite.shown}>
        {isTaskList || loaded === undefined ? (
          <TasksOrStatus
            tasks={tasks}
            isTaskList={isTaskList}
            shown={taskId}
            query={shown.query ?? ""}
            clock={clock}
            actions={isLost ? undefined : source.actions}
            search={source.search}
            onNotify={askToNotify}
            onQuery={(typed) => go({ query: typed, view: "tasks" })}
            onOpen={open}
            onError={setError}
          />
        ) : (
          <>
            <CounterexampleBanner
              counterexample={source.counterexample}
              trace={loaded.trace}
              at={at}
              onGo={goTo}
            />
            <TaskView
              loaded={loaded}
              other={other}
              tasks={tasks ?? []}
              info={info}
              present={present}
              isPast={isPast}
              isLost={isLost}
              at={at}
              layout={layout}
              pane={pane}
              comparedWith={shown.comparedWith}
              view={view}
              actions={actions}
              source={source}
              onGo={goTo}
              onPane={(name) => go({ pane: name })}
              onComparedWith={(id) => go({ comparedWith: id })}
              onPossible={() => setPossible(!showsPossible)}
              onOpened={open}
              onProblemOf={openProblemOf}
              onLive={() => step("live")}
              onError={setError}
            />
            <Timeline
              trace={loaded.trace}
              at={at}
              until={present.until}
              now={present.now}
              options={timeline}
              isFollowing={isFollowing}
              isLive={loaded.isLive && info?.isOpen === true}
              isLost={isLost}
              isPlaying={isPlaying}
              speed={speed}
              query={query}
              matches={matches}
              onGo={(seq) => {
                pause();
                goTo(seq);
              }}
              onStep={step}
              onPlay={play}
              onSpeed={setSpeed}
              onQuery={setQuery}
              onOptions={setTimeline}
            />
          </>
        )}
      </SuiteView>
      {hasBreakpoints && taskId !== undefined && actions !== undefined && typeof view === "object" && (
        <BreakpointPanel
          key={taskId}
          taskId={taskId}
          chart={view.chart}
          actions={actions}
          isOpen={info?.isOpen ?? false}
          isLost={isLost}
          held={info?.held}
          broken={info?.broken}
          onError={setError}
          onClose={() => setBreakpoints(false)}
        />
      )}
      <ErrorBanner message={error} onClose={() => setError("")} />
      {hasHelp && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

const NOTHING: readonly number[] = [];

/** The actions on a task. There are none on a session of another agent. */
const actionsOn = (info: TaskInfo | undefined, { actions }: PageSource): TaskActions | undefined =>
  info?.transcript === undefined ? actions : undefined;

const titleOf = ({ title, id }: TaskInfo): string => title.split("\n")[0] || id;

interface TasksOrStatusProps extends Omit<TaskListProps, "tasks"> {
  readonly tasks: readonly TaskInfo[] | undefined;
  readonly isTaskList: boolean;
}

/** The list of all tasks, or what is being loaded. */
function TasksOrStatus({ tasks, isTaskList, ...list }: TasksOrStatusProps) {
  if (tasks !== undefined && (isTaskList || list.shown === undefined))
    return <TaskList tasks={tasks} {...list} />;
  return (
    <p className="sb-placeholder" role="status">
      {tasks === undefined ? "Loading tasks …" : `Loading ${shortened(list.shown ?? "")} …`}
    </p>
  );
}

function ErrorBanner({ message, onClose }: { readonly message: string; readonly onClose: () => void }) {
  if (message === "") return null;
  return (
    <div className="sb-error" role="alert">
      <b>✕</b> {shortened(message, 1_000)}
      <button type="button" className="sb-quiet" onClick={onClose} aria-label="Close">
        ✕
      </button>
    </div>
  );
}
