import type { ReactNode } from "react";
import type { AgentLoopState } from "../../../../machines/message/index.ts";
import { shortened } from "../../text/index.ts";
import type { Lane } from "./lanes.ts";
import type { Lifeline } from "./lifelines.ts";
import type { Step } from "./steps.ts";
import { nameOf, type Way } from "./telling.ts";

/** Sizes of the picture in pixels; sequence.css has the same. */
const LINE_HEIGHT = 30;
const BAR_WIDTH = 8;
const SLOT_WIDTH = 6;
/** What there is room for between two lanes, in the letters of a label. */
const LABEL_MAX_CHARS = 18;

export interface DrawingProps {
  readonly lanes: readonly Lane[];
  readonly steps: readonly Step[];
  /** Of each line, where its arrow goes. */
  readonly ways: readonly Way[];
  readonly lifelines: readonly Lifeline[];
  /** The state after each line, of the six. */
  readonly states: readonly AgentLoopState[];
  /** The line that is shown, and who sent its event. */
  readonly current: number;
}

/** The arrows and the lives of the actors. For those who don't see it, the lines beside it say the same. */
export function Drawing({ lanes, steps, ways, lifelines, states, current }: DrawingProps): ReactNode {
  const height = steps.length * LINE_HEIGHT;
  const places = new Map(lanes.map(({ id, x }) => [id, x]));
  const placeOf = (lane: string): number => places.get(lane) ?? 0;
  const sender = steps[current]?.event.from;
  return (
    <svg
      className="sequence-drawing"
      width={widthOf(lanes)}
      height={height}
      aria-hidden="true"
      focusable="false"
    >
      {lanes.map(({ id }) => (
        <line key={id} className="sequence-lane-line" x1={placeOf(id)} x2={placeOf(id)} y1={0} y2={height} />
      ))}
      <TaskBar x={placeOf("task")} states={states} />
      {lifelines.map((life) => (
        <Bar
          key={`${life.actor} ${life.from ?? "before"}`}
          life={life}
          x={placeOf(life.lane)}
          task={placeOf("task")}
          height={height}
          isSender={life.actor === sender}
        />
      ))}
      {steps.map((step, line) => {
        const { from, to } = ways[line] ?? { from: "task", to: "task" };
        return (
          <Arrow
            key={step.first}
            step={step}
            y={middleOf(line)}
            from={placeOf(from)}
            to={placeOf(to)}
            isCurrent={line === current}
          />
        );
      })}
    </svg>
  );
}

const widthOf = (lanes: readonly Lane[]): number => lanes.reduce((sum, { width }) => sum + width, 0);

const middleOf = (line: number): number => (line + 0.5) * LINE_HEIGHT;

/** The task's own life, in the colours of its states. */
function TaskBar({
  x,
  states,
}: {
  readonly x: number;
  readonly states: readonly AgentLoopState[];
}): ReactNode {
  return states.map((state, line) => (
    <rect
      // biome-ignore lint/suspicious/noArrayIndexKey: a state of a line is its place
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
  readonly life: Lifeline;
  readonly x: number;
  readonly task: number;
  readonly height: number;
  readonly isSender: boolean;
}

function Bar({ life, x, task, height, isSender }: BarProps): ReactNode {
  const left = x - BAR_WIDTH / 2 + life.slot * SLOT_WIDTH;
  const top = life.from === undefined ? 0 : middleOf(life.from) + 7;
  const bottom = life.to === undefined ? height : middleOf(life.to) + 3;
  const side = left > task ? left : left + BAR_WIDTH;
  return (
    <g className={isSender ? "sequence-life sequence-sender" : "sequence-life"}>
      {life.from !== undefined && <line className="sequence-start" x1={task} x2={side} y1={top} y2={top} />}
      <rect x={left} y={top} width={BAR_WIDTH} height={Math.max(4, bottom - top)} rx={2} />
      {life.to !== undefined && (
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
  const name = count === 1 ? nameOf(event) : `${nameOf(event)} ×${count}`;
  const loose = event.durable === false ? " sequence-loose" : "";
  const marks = `sequence-arrow${isCurrent ? " sequence-current" : ""}${loose}`;
  if (from === to)
    return (
      <g className={marks}>
        <circle cx={to} cy={y} r={5} />
        <text x={to + 12} y={y + 3.5}>
          {shortened(name, LABEL_MAX_CHARS)}
        </text>
      </g>
    );
  const right = Math.sign(to - from);
  const tip = to - right * (BAR_WIDTH / 2 + 1);
  return (
    <g className={marks}>
      <line x1={from + right * (BAR_WIDTH / 2)} x2={tip - right * 6} y1={y} y2={y} />
      <path className="sequence-tip" d={`M${tip} ${y}l${-right * 8} -4v8z`} />
      {/* At the task's end: there it is in sight, however far away its sender stands. */}
      <text x={tip - right * 8} y={y - 5} textAnchor={right > 0 ? "end" : "start"}>
        {shortened(name, LABEL_MAX_CHARS)}
      </text>
    </g>
  );
}
