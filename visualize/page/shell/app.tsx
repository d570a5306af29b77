import { useCallback, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { BreakpointPanel } from "../actions/breakpoint-panel.tsx";
import { LabView } from "../lab/lab-view.tsx";
import { showsReport, useLab } from "../lab/use-lab.ts";
import { errorText } from "../model/format.ts";
import { NO_SUBTASKS } from "../model/growing-subtasks.ts";
import { parentsOf } from "../model/listed-task.ts";
import { type PageLocation, paneIn } from "../model/location.ts";
import { type Navigation, navigate } from "../model/navigation.ts";
import { subtasksNeedingYou, tasksNeedingYou } from "../model/needs-you.ts";
import type { PaneName } from "../model/panes.ts";
import { placeIn } from "../model/place.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { CounterexampleBanner } from "../panes/laws/counterexample-banner.tsx";
import type { PageSource, TaskActions } from "../source.ts";
import { type Connection, isLost as isConnectionLost } from "../sources/connection.ts";
import { shortened } from "../text/printable.ts";
import { useMarkdownProblem } from "../text/use-markdown-parser.ts";
import { TIMELINE_OPTIONS } from "../timeline/options.ts";
import type { PageClock } from "./clock.ts";
import type { Command } from "./commands.ts";
import { goToMatch } from "./event-search.tsx";
import { Header, type Theme, useTheme } from "./header.tsx";
import { Help } from "./help.tsx";
import { TABS, useLayout } from "./layout.ts";
import { type Hidable, usePaneSizes } from "./pane-sizes.ts";
import { ShareButton } from "./share.tsx";
import { SkipToAnswer } from "./skip-to-answer.tsx";
import { TaskView } from "./task-view.tsx";
import { TaskList, type TaskListProps } from "./tasks/task-list.tsx";
import { Timeline } from "./timeline.tsx";
import { useChart } from "./use-chart.ts";
import { useKeys } from "./use-keys.ts";
import { useLocation } from "./use-location.ts";
import { useNotifications } from "./use-notifications.ts";
import { SPEEDS, type Speed, usePlayback } from "./use-playback.ts";
import { usePresent } from "./use-present.ts";
import { useProblemOf } from "./use-problem-of.ts";
import { useSubtaskTree } from "./use-subtask-tree.ts";
import { type OnRenumbered, useTasks, useTrace } from "./use-trace.ts";
import { useVisiblePart } from "./use-visible-part.ts";

export interface AppProps {
  readonly source: PageSource;
  /** The initial task and event; with `isBookmarked` the page's address overrides it. */
  readonly start: PageLocation;
  readonly isBookmarked: boolean;
  /** The key of the browser's storage for the sizes of panes. Undefined: they are not remembered. */
  readonly storageKey: string | undefined;
  readonly theme: Theme;
  /** Undefined: the source is recorded. */
  readonly connection: Connection | undefined;
  readonly clock: PageClock;
}

/** The whole debugger. */
export function App(props: AppProps) {
  const { source, start, isBookmarked, storageKey, theme: firstTheme, connection, clock } = props;
  const root = useRef<HTMLDivElement>(null);
  const [shown, go] = useLocation(isBookmarked, start);
  const layout = useLayout(root);
  useVisiblePart(root);
  const sizes = usePaneSizes(storageKey);
  const [theme, nextTheme] = useTheme(firstTheme);
  const isTaskList = shown.view === "tasks";
  const pane = paneIn(shown);
  const isComparing = pane === "compare";
  const isAsModel = shown.asModel === true;
  const [hasHelp, setHelp] = useState(false);
  const [hasBreakpoints, setBreakpoints] = useState(false);
  const [showsPossible, setPossible] = useState(false);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const [query, setQuery] = useState("");
  const [timeline, setTimeline] = useState(TIMELINE_OPTIONS);
  const [error, setError] = useState("");
  useMarkdownProblem(setError);
  const tasks = useTasks(source);
  const lab = useLab(source, [shown, go], setError);
  const taskId = shown.task ?? tasks?.[0]?.id;
  const info = tasks?.find(({ id }) => id === taskId);
  const renumber = useCallback<OnRenumbered>(
    (placeOf) => go(({ at }) => (at === undefined ? {} : { at: placeOf(at) })),
    [go],
  );
  const loaded = useTrace(source, taskId, setError, { needsSubtasks: true, onRenumbered: renumber });
  const other = useTrace(source, shown.comparedWith, setError);
  const view = useChart(source, showsPossible);

  const actions = actionsOn(info, source);
  const trace = loaded?.trace;
  const listed = tasks ?? NO_TASKS;
  const tree = useSubtaskTree(loaded, listed);
  const { end, at, isPast, isFollowing } = placeIn(trace, shown);
  const isLost = isConnectionLost(connection);
  const need = useMemo(
    () => ({
      tasksNeedingYou: tasksNeedingYou(tasks).length,
      subtasksNeedingYou: subtasksNeedingYou(info, tasks),
    }),
    [tasks, info],
  );
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
  const openRun = (run: number): void => {
    source.openRun?.(run).then(open, (problem: unknown) => setError(errorText(problem)));
  };
  const askToNotify = useNotifications(connection && tasks, open);
  const goToProblem = (direction: 1 | -1): void => {
    pause();
    const problem = trace?.index.problems.next(at, direction);
    if (problem !== undefined) goTo(problem.seq);
  };
  const openProblemOf = useProblemOf(loaded, taskId, open, goTo);
  const compare = (): void =>
    go({
      comparedWith: isComparing ? undefined : (shown.comparedWith ?? originOf(trace, tasks)),
      pane: isComparing ? undefined : "compare",
      view: undefined,
    });
  const toggleTasks = (): void => go({ view: isTaskList ? undefined : "tasks" });
  const focus = (selector: string): void => root.current?.querySelector<HTMLElement>(selector)?.focus();
  const search = (): void => {
    // A narrow timeline has the search only after it is expanded.
    if (root.current?.querySelector('.sb-playback[data-strip="true"]'))
      flushSync(() => setTimeline({ ...timeline, isExpanded: true }));
    focus("[data-search]");
  };
  const showPane = (name: PaneName, changes: PageLocation = {}): void => {
    const isTab = TABS[layout].includes(name);
    const part = name === "outline" ? "outline" : "inspector";
    flushSync(() => {
      if (isTab || isComparing) go({ ...changes, pane: name });
      if (name !== "transcript" && sizes.isHidden(part)) sizes.hide(part, false);
    });
    focus(`[data-pane="${isTab ? "tabs" : name}"]`);
  };
  const showTranscript = (isNowAsModel: boolean): void => {
    const control = root.current?.querySelector<HTMLElement>("[data-transcript-switch]");
    const isOther = isNowAsModel !== isAsModel;
    // The switch keeps the turn in sight.
    if (isOther) control?.click();
    showPane("transcript", { asModel: isNowAsModel || undefined });
  };
  const toggle = (part: Hidable): void => sizes.hide(part, !sizes.isHidden(part));
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
    search,
    nextMatch: () => goToMatch(1, { matches, at, onGo: goTo }),
    backMatch: () => goToMatch(-1, { matches, at, onGo: goTo }),
    chart: () => showPane("chart"),
    state: () => showPane("state"),
    outline: () => showPane("outline"),
    messages: () => showTranscript(false),
    sequence: () => showPane("sequence"),
    conversation: () => showTranscript(!isAsModel),
    problems: () => showPane("problems"),
    why: () => showPane("why"),
    raw: () => showPane("raw"),
    hideOutline: () => toggle("outline"),
    hideInspector: () => toggle("inspector"),
    actions: () => focus(answersIn(info)),
    breakpoints: () => setBreakpoints(actions !== undefined && !hasBreakpoints),
    tasks: () => {
      flushSync(toggleTasks);
      focus('[role="treegrid"]');
    },
    compare,
    theme: nextTheme,
    help: () => setHelp(!hasHelp),
  };
  useKeys(root, isBookmarked, (command) => commands[command]());

  return (
    <div ref={root} className="signalbox" data-theme={theme}>
      <SkipToAnswer
        hasAnswers={
          !isTaskList && !isPast && !showsReport(lab) && canAnswer(info, actions, need.subtasksNeedingYou)
        }
        onSkip={commands.actions}
      />
      <Header
        title={titleOf(info) ?? taskId}
        parents={parentsOf(info, tasks)}
        isBeside={info?.isBeside}
        age={ageOf(trace, present.now)}
        moment={trace?.moment(at)}
        info={info}
        isAtEnd={!isPast}
        connection={connection}
        theme={theme}
        isTaskList={isTaskList}
        lab={lab}
        isComparing={isComparing}
        tasks={tasks?.length ?? 0}
        {...need}
        hasActions={actions !== undefined}
        onOpen={open}
        onTheme={nextTheme}
        onTaskList={toggleTasks}
        onCompare={compare}
        onBreakpoints={commands.breakpoints}
        share={
          <ShareButton
            trace={loaded?.trace}
            subtasks={loaded?.subtasks ?? NO_SUBTASKS}
            title={titleOf(info)}
            at={at}
            counterexample={source.counterexample}
          />
        }
        onHelp={() => setHelp(true)}
      />
      <LabView
        lab={lab}
        view={view}
        query={shown.runs ?? ""}
        onQuery={(runs) => go({ runs })}
        onOpen={source.openRun && openRun}
      >
        {isTaskList || loaded === undefined || tree === undefined ? (
          <TasksOrStatus
            tasks={tasks}
            isTaskList={isTaskList}
            shown={taskId}
            query={shown.query ?? ""}
            clock={clock}
            actions={isLost ? undefined : source.actions}
            search={source.search}
            info={info}
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
              tasks={listed}
              info={info}
              present={present}
              tree={tree}
              isPast={isPast}
              isLost={isLost}
              at={at}
              layout={layout}
              pane={pane}
              isAsModel={isAsModel}
              sizes={sizes}
              comparedWith={shown.comparedWith}
              view={view}
              actions={actions}
              source={source}
              onGo={goTo}
              onPane={(name) => go({ pane: name })}
              onAsModel={(isNow) => go({ asModel: isNow || undefined })}
              onComparedWith={(id) => go({ comparedWith: id })}
              onOther={(seq) => go({ task: shown.comparedWith, comparedWith: taskId, at: seq })}
              onPossible={() => setPossible(!showsPossible)}
              onOpened={open}
              onTask={open}
              onProblemOf={openProblemOf}
              onLive={() => step("live")}
              onError={setError}
            />
            <Timeline
              trace={loaded.trace}
              tree={tree}
              tasks={listed}
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
      </LabView>
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
const NO_TASKS: readonly TaskInfo[] = [];

/** The actions on the shown task, and the answers to asks of its subtasks. */
const OWN_ACTIONS = ".sb-action-bar :is(button, input, textarea):not(.sb-queued *)";
const SUBTASK_ANSWERS = ".sb-subtasks .sb-row-answers :is(button, input)";

/** The task that a fork was made of, if it is listed. */
function originOf(trace: TraceSnapshot | undefined, tasks: readonly TaskInfo[] = []): string | undefined {
  const header = trace?.event(0).record;
  const origin = header?.kind === "header" ? header.forkedFrom?.taskId : undefined;
  return tasks.some(({ id }) => id === origin) ? origin : undefined;
}

/** The actions on a task. There are none on a session of another agent. */
const actionsOn = (info: TaskInfo | undefined, { actions }: PageSource): TaskActions | undefined =>
  info?.transcript === undefined ? actions : undefined;

/** Whether an ask of the shown task, or of one of its subtasks, can be answered. */
const canAnswer = (
  info: TaskInfo | undefined,
  actions: TaskActions | undefined,
  subtasksNeedingYou: readonly TaskInfo[],
): boolean => actions !== undefined && (asksNow(info) || subtasksNeedingYou.length > 0);

const asksNow = (info: TaskInfo | undefined): boolean => info !== undefined && info.asks.length > 0;

/** The controls of the actions. While the shown task asks nothing, the answers to asks of its subtasks come first. */
const answersIn = (info: TaskInfo | undefined): string =>
  asksNow(info) ? OWN_ACTIONS : `${SUBTASK_ANSWERS}, ${OWN_ACTIONS}`;

const titleOf = (info: TaskInfo | undefined): string | undefined =>
  info && (info.title.split("\n")[0] || info.id);

const ageOf = (trace: TraceSnapshot | undefined, now: number): number | undefined =>
  trace && now - (trace.index.times[0] ?? now);

interface TasksOrStatusProps extends Omit<TaskListProps, "tasks"> {
  readonly tasks: readonly TaskInfo[] | undefined;
  readonly isTaskList: boolean;
  /** The entry of the task in the list. Undefined: no task has the id of the address. */
  readonly info: TaskInfo | undefined;
}

/** The list of all tasks, or what is being loaded or is not there. */
function TasksOrStatus({ tasks, isTaskList, info, ...list }: TasksOrStatusProps) {
  if (tasks !== undefined && (isTaskList || list.shown === undefined))
    return <TaskList tasks={tasks} {...list} />;
  if (tasks !== undefined && info === undefined)
    return (
      <p className="sb-placeholder" role="status">
        There is no task <code>{shortened(list.shown ?? "")}</code> here.{" "}
        <button type="button" className="sb-link" onClick={() => list.onQuery("")}>
          All tasks
        </button>
      </p>
    );
  return (
    <p className="sb-placeholder" role="status">
      {tasks === undefined ? "Loading tasks …" : loadingText(info, list.shown)}
    </p>
  );
}

const loadingText = (info: TaskInfo | undefined, shown = ""): string =>
  info?.problem?.kind === "unreadable"
    ? "No event of this task can be read. Its journal is left as it is."
    : `Loading ${shortened(shown)} …`;

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
