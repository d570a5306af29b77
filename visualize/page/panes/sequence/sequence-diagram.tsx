import type { ReactNode } from "react";
import type { AgentLoopState } from "../../../../machines/message/states.ts";
import { duration } from "../../model/format.ts";
import { shortened } from "../../text/printable.ts";
import { type ArrowEnds, eventLabel } from "./arrows.ts";
import type { Lifeline } from "./lifelines.ts";
import type { Participant } from "./participants.ts";
import type { Step } from "./steps.ts";

/** Sizes in pixels; sequence.css has the same. */
const LINE_HEIGHT = 30;
const BAR_WIDTH = 8;
const SLOT_WIDTH = 6;
/** The characters of a label that fit between two participants. */
const LABEL_MAX_CHARS = 18;

export interface SequenceDiagramProps {
  readonly participants: readonly Participant[];
  readonly steps: readonly Step[];
  /** The arrow of each line. */
  readonly ends: readonly ArrowEnds[];
  readonly lifelines: readonly Lifeline[];
  /** The top-level state after each line. */
  readonly states: readonly AgentLoopState[];
  /** The current line. */
  readonly current: number;
  /** How long the actors have run that run after the last line, in milliseconds, by actor. */
  readonly running: ReadonlyMap<string, number>;
}

/** The arrows and lifelines. It is hidden from screen readers: the lines of the pane have the same content. */
export function SequenceDiagram(props: SequenceDiagramProps): ReactNode {
  const { participants, steps, ends, lifelines, states, current, running } = props;
  const height = steps.length * LINE_HEIGHT;
  const xs = new Map(participants.map(({ id, x }) => [id, x]));
  const xOf = (participant: string): number => xs.get(participant) ?? 0;
  const sender = steps[current]?.event.from;
  return (
    <svg
      className="sequence-diagram"
      width={widthOf(participants)}
      height={height}
      aria-hidden="true"
      focusable="false"
    >
      {participants.map(({ id, x }) => (
        <line key={id} className="sequence-participant-line" x1={x} x2={x} y1={0} y2={height} />
      ))}
      <TaskBar x={xOf("task")} states={states} />
      {lifelines.map((lifeline) => (
        <Bar
          key={`${lifeline.actor} ${lifeline.from ?? "before"}`}
          lifeline={lifeline}
          x={xOf(lifeline.participant)}
          task={xOf("task")}
          height={height}
          isSender={lifeline.actor === sender}
          runningFor={lifeline.to === undefined ? running.get(lifeline.actor) : undefined}
        />
      ))}
      {steps.map((step, line) => {
        const { from, to } = ends[line] ?? { from: "task", to: "task" };
        return (
          <Arrow
            key={step.first}
            step={step}
            y={middleOf(line)}
            from={xOf(from)}
            to={xOf(to)}
            isCurrent={line === current}
          />
        );
      })}
    </svg>
  );
}

const widthOf = (participants: readonly Participant[]): number =>
  participants.reduce((sum, { width }) => sum + width, 0);

const middleOf = (line: number): number => (line + 0.5) * LINE_HEIGHT;

/** The task's lifeline, in the colours of its states. */
function TaskBar({ x, states }: Readonly<{ x: number; states: readonly AgentLoopState[] }>): ReactNode {
  return states.map((state, line) => (
    <rect
      // biome-ignore lint/suspicious/noArrayIndexKey: a state is identified by its line
      key={line}
      className="sequence-task"
      data-state={state}
      x={x - BAR_WIDTH / 2}
      y={middleOf(line)}
      width={BAR_WIDTH}
      height={line === states.length - 1 ? LINE_HEIGHT / 2 : LINE_HEIGHT}
    />
  ));
}

interface BarProps {
  readonly lifeline: Lifeline;
  readonly x: number;
  readonly task: number;
  readonly height: number;
  readonly isSender: boolean;
  /** Undefined: it does not run any longer, or the lines end before the trace does. */
  readonly runningFor: number | undefined;
}

function Bar({ lifeline, x, task, height, isSender, runningFor }: BarProps): ReactNode {
  const left = x - BAR_WIDTH / 2 + lifeline.slot * SLOT_WIDTH;
  const top = lifeline.from === undefined ? 0 : middleOf(lifeline.from) + 7;
  const bottom = lifeline.to === undefined ? height : middleOf(lifeline.to) + 3;
  const side = left > task ? left : left + BAR_WIDTH;
  return (
    <g className={isSender ? "sequence-lifeline sequence-sender" : "sequence-lifeline"}>
      {lifeline.from !== undefined && (
        <line className="sequence-start" x1={task} x2={side} y1={top} y2={top} />
      )}
      <rect x={left} y={top} width={BAR_WIDTH} height={Math.max(4, bottom - top)} rx={2} />
      {runningFor !== undefined && lifeline.slot === 0 && (
        <text
          className="sequence-running"
          x={left > task ? left + BAR_WIDTH + 4 : left - 4}
          y={height - 4}
          textAnchor={left > task ? "start" : "end"}
        >
          {duration(runningFor)}
        </text>
      )}
      {lifeline.to !== undefined && (
        <path
          className="sequence-stop"
          d={`M${left} ${bottom - 4}l${BAR_WIDTH} ${BAR_WIDTH}m0 ${-BAR_WIDTH}l${-BAR_WIDTH} ${BAR_WIDTH}`}
        />
      )}
    </g>
  );
}

interface ArrowProps {
  readonly step: Step;
  readonly y: number;
  readonly from: number;
  readonly to: number;
  readonly isCurrent: boolean;
}

function Arrow({ step: { event, first, last }, y, from, to, isCurrent }: ArrowProps): ReactNode {
  const count = last - first + 1;
  const name = count === 1 ? eventLabel(event) : `${eventLabel(event)} ×${count}`;
  const durability = event.durable === false ? " sequence-not-durable" : "";
  const className = `sequence-arrow${isCurrent ? " sequence-current" : ""}${durability}`;
  if (from === to)
    return (
      <g className={className}>
        <circle cx={to} cy={y} r={5} />
        <text x={to + 12} y={y + 3.5}>
          {shortened(name, LABEL_MAX_CHARS)}
        </text>
      </g>
    );
  const right = Math.sign(to - from);
  const tip = to - right * (BAR_WIDTH / 2 + 1);
  return (
    <g className={className}>
      <line x1={from + right * (BAR_WIDTH / 2)} x2={tip - right * 6} y1={y} y2={y} />
      <path className="sequence-tip" d={`M${tip} ${y}l${-right * 8} -4v8z`} />
      {/* At the task's end, which is always visible. */}
      <text x={tip - right * 8} y={y - 5} textAnchor={right > 0 ? "end" : "start"}>
        {shortened(name, LABEL_MAX_CHARS)}
      </text>
    </g>
  );
}
