import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { topState } from "../../../../machines/message/states.ts";
import type { ChartState } from "../../../chart/chart.ts";
import { duration } from "../../model/format.ts";
import { StateIcon } from "../../shell/state-badge.tsx";

export interface StateData extends Record<string, unknown> {
  readonly state: ChartState;
  readonly isCompound: boolean;
  readonly isActive: boolean;
  /** How often it was entered, and the time in it (milliseconds). */
  readonly entries: number;
  readonly time: number;
}

export type StateNodeType = Node<StateData, "state">;

/** A state as a box; a compound state as a frame around its children. */
export const StateNode = memo(function StateNode({ data, selected, width }: NodeProps<StateNodeType>) {
  const { state, isCompound, isActive, entries, time } = data;
  const classes = [
    "sb-state",
    isCompound && "sb-compound",
    isActive && "is-active",
    entries > 0 && "is-seen",
    selected && "is-selected",
  ];
  return (
    <div
      className={classes.filter(Boolean).join(" ")}
      data-state={topState(state.path)}
      data-path={state.path}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <div className="sb-state-name">
        {(isCompound || state.parent === undefined) && <StateIcon state={topState(state.path)} />}
        {state.isInitial && !isCompound && state.parent !== undefined && (
          <span className="sb-initial" title="begins here" />
        )}
        <span>{state.name}</span>
        {entries > 0 && (
          <span className="sb-state-count" title={`entered ${entries} times, ${duration(time)} in all`}>
            {entries}
            {isCompound && time > 0 && width !== undefined && width > 260 && <i> · {duration(time)}</i>}
          </span>
        )}
      </div>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
});
