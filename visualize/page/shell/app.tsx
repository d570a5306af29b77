import { useCallback, useRef, useState } from "react";
import type { TaskCard } from "../../../wire/index.ts";
import { BreakpointPanel } from "../act/index.ts";
import type { Place } from "../model/place.ts";
import { placeAfter, type Step } from "../model/step.ts";
import type { PageSource } from "../source.ts";
import type { Connection } from "../sources/index.ts";
import { shortened } from "../text/index.ts";
import type { Command } from "./commands.ts";
import { Fleet, type FleetProps } from "./fleet.tsx";
import { Header } from "./header.tsx";
import { Help } from "./help.tsx";
import type { PaneName } from "./task-view.tsx";
import { TaskView } from "./task-view.tsx";
import { goToMatch, TimeLine } from "./time-line.tsx";
import { useChart } from "./use-chart.ts";
import { useKeys } from "./use-keys.ts";
import { usePlace } from "./use-place.ts";
import { SPEEDS, type Speed, usePlaying } from "./use-playing.ts";
import { useTasks } from "./use-tasks.ts";
import { type Theme, useTheme } from "./use-theme.ts";
import { useTrace } from "./use-trace.ts";

export interface AppProps {
  readonly source: PageSource;
  /** Where it begins; with `isBookmarked` unless the page's address says it. */
  readonly start: Place;
  readonly isBookmarked: boolean;
  readonly theme: Theme;
  /** Undefined: what is shown is recorded. */
  readonly connection: Connection | undefined;
}

/** The whole debugger. */
export function App({ source, start, isBookmarked, theme: firstTheme, connection }: AppProps) {
  const root = useRef<HTMLDivElement>(null);
  const [place, go] = usePlace(isBookmarked, start);
  const [theme, nextTheme] = useTheme(firstTheme);
  const [isFleet, setFleet] = useState(false);
  const [isComparing, setComparing] = useState(place.beside !== undefined);
  const [hasHelp, setHelp] = useState(false);
  const [hasBreakpoints, setBreakpoints] = useState(false);
  const [isLabelled, setLabelled] = useState(false);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const [query, setQuery] = useState("");
  const [pane, setPane] = useState<PaneName>("messages");
  const [problem, setProblem] = useState("");
  const tasks = useTasks(source);
  const taskId = place.task ?? tasks?.[0]?.id;
  const card = tasks?.find(({ id }) => id === taskId);
  const seen = useTrace(source, taskId, setProblem);
  const other = useTrace(source, place.beside, setProblem);
  const drawn = useChart(source, isLabelled);

  const end = (seen?.index.paths.length ?? 1) - 1;
  const at = Math.min(place.at ?? end, end);
  const matches = seen === undefined || query === "" ? NOTHING : seen.index.find(query);
  const goTo = useCallback((seq: number) => go({ at: seq }), [go]);
  const halt = useCallback(() => setPlaying(false), []);
  usePlaying(isPlaying, speed, { index: seen?.index, at, end }, goTo, halt);

  const step = (by: Step): void => {
    halt();
    if (seen !== undefined) go({ at: placeAfter(by, seen.index, at) });
  };
  const play = (): void => {
    if (!isPlaying && at >= end) goTo(0);
    setPlaying(!isPlaying);
  };
  const faster = (by: 1 | -1): void => setSpeed((now) => SPEEDS[SPEEDS.indexOf(now) + by] ?? now);
  const open = (id: string): void => {
    halt();
    setFleet(false);
    go({ task: id, at: undefined });
  };
  const compare = (): void => {
    if (isComparing) go({ beside: undefined });
    setComparing(!isComparing);
    setFleet(false);
  };
  const focus = (selector: string): void => root.current?.querySelector<HTMLElement>(selector)?.focus();
  const read = (name: PaneName): void => {
    setPane(name);
    setComparing(false);
    focus('[data-pane="reading"]');
  };
  const commands: Readonly<Record<Command, () => void>> = {
    next: () => step("next"),
    back: () => step("back"),
    nextState: () => step("nextState"),
    backState: () => step("backState"),
    first: () => step("first"),
    live: () => step("live"),
    play,
    faster: () => faster(1),
    slower: () => faster(-1),
    search: () => focus("[data-search]"),
    nextMatch: () => goToMatch(matches, at, 1, goTo),
    backMatch: () => goToMatch(matches, at, -1, goTo),
    chart: () => focus('[data-pane="chart"]'),
    state: () => focus('[data-pane="state"]'),
    messages: () => read("messages"),
    sequence: () => read("sequence"),
    conversation: () => read("conversation"),
    act: () => focus(".sb-act :is(button, input)"),
    breakpoints: () => setBreakpoints(source.actions !== undefined && !hasBreakpoints),
    fleet: () => setFleet(!isFleet),
    compare,
    theme: nextTheme,
    help: () => setHelp(!hasHelp),
  };
  useKeys(root, isBookmarked, (command) => commands[command]());

  return (
    <div ref={root} className="signalbox" data-theme={theme}>
      <Header
        title={card === undefined ? taskId : titleOf(card)}
        moment={seen?.trace.moment(at)}
        connection={connection ?? "recorded"}
        theme={theme}
        isFleet={isFleet}
        isComparing={isComparing}
        tasks={tasks?.length ?? 0}
        hasActions={source.actions !== undefined}
        onTheme={nextTheme}
        onFleet={() => setFleet(!isFleet)}
        onCompare={compare}
        onBreakpoints={commands.breakpoints}
        onHelp={() => setHelp(true)}
      />
      {isFleet || seen === undefined ? (
        <NoTask
          tasks={tasks}
          isFleet={isFleet}
          taskId={taskId}
          actions={source.actions}
          onOpen={open}
          onProblem={setProblem}
        />
      ) : (
        <>
          <TaskView
            seen={seen}
            other={other}
            tasks={tasks ?? []}
            card={card}
            at={at}
            isFollowing={place.at === undefined}
            pane={isComparing ? "compare" : pane}
            beside={place.beside}
            drawn={drawn}
            actions={source.actions}
            onGo={goTo}
            onPane={(name) => {
              setComparing(false);
              setPane(name);
            }}
            onBeside={(id) => go({ beside: id })}
            onLabels={() => setLabelled(!isLabelled)}
            onOpened={open}
            onLive={() => step("live")}
            onProblem={setProblem}
          />
          <TimeLine
            trace={seen.trace}
            index={seen.index}
            at={at}
            isFollowing={place.at === undefined}
            isLive={seen.isLive && card?.isOpen === true}
            isPlaying={isPlaying}
            speed={speed}
            query={query}
            matches={matches}
            onGo={(seq) => {
              halt();
              goTo(seq);
            }}
            onStep={step}
            onPlay={play}
            onSpeed={setSpeed}
            onQuery={setQuery}
          />
        </>
      )}
      {hasBreakpoints &&
        taskId !== undefined &&
        source.actions !== undefined &&
        typeof drawn === "object" && (
          <BreakpointPanel
            key={taskId}
            taskId={taskId}
            chart={drawn.chart}
            actions={source.actions}
            isOpen={card?.isOpen ?? false}
            held={card?.held}
            broken={card?.broken}
            onProblem={setProblem}
            onClose={() => setBreakpoints(false)}
          />
        )}
      <Problem words={problem} onClose={() => setProblem("")} />
      {hasHelp && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

const NOTHING: readonly number[] = [];

const titleOf = ({ title, id }: TaskCard): string => title.split("\n")[0] || id;

/** What stands where no task is shown: all of them, or what is waited for. */
function NoTask({
  tasks,
  isFleet,
  taskId,
  ...fleet
}: Pick<FleetProps, "actions" | "onOpen" | "onProblem"> & {
  readonly tasks: readonly TaskCard[] | undefined;
  readonly isFleet: boolean;
  readonly taskId: string | undefined;
}) {
  if (tasks !== undefined && (isFleet || taskId === undefined))
    return <Fleet tasks={tasks} shown={taskId} now={Date.now()} {...fleet} />;
  return (
    <p className="sb-absent" role="status">
      {tasks === undefined ? "Looking for tasks …" : `Reading ${shortened(taskId ?? "")} …`}
    </p>
  );
}

function Problem({ words, onClose }: { readonly words: string; readonly onClose: () => void }) {
  if (words === "") return null;
  return (
    <div className="sb-problem" role="alert">
      <b>✕</b> {shortened(words, 1_000)}
      <button type="button" className="sb-quiet" onClick={onClose} aria-label="Close">
        ✕
      </button>
    </div>
  );
}
