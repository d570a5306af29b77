import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import type { ChartState } from "../../../chart/index.ts";
import { duration } from "../../model/format.ts";
import { topOf } from "../../model/state.ts";
import { StateShape } from "../../shell/state-mark.tsx";

export interface StateData extends Record<string, unknown> {
  readonly state: ChartState;
  readonly isHolder: boolean;
  readonly isActive: boolean;
  /** How often it was entered, and for how long it was stayed in (milliseconds). */
  readonly entries: number;
  readonly time: number;
}

export type StateNodeType = Node<StateData, "state">;

/** A state: a box with its name, or the frame around those in it. */
export const StateNode = memo(function StateNode({ data, selected, width }: NodeProps<StateNodeType>) {
  const { state, isHolder, isActive, entries, time } = data;
  const classes = [
    "sb-state",
    isHolder && "sb-holder",
    isActive && "is-active",
    entries > 0 && "is-seen",
    selected && "is-selected",
  ];
  return (
    <div className={classes.filter(Boolean).join(" ")} data-state={topOf(state.path)} data-path={state.path}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <div className="sb-state-name">
        {(isHolder || state.parent === undefined) && <StateShape state={topOf(state.path)} />}
        {state.isInitial && !isHolder && state.parent !== undefined && (
          <span className="sb-initial" title="begins here" />
        )}
        <span>{state.name}</span>
        {entries > 0 && (
          <span className="sb-state-count" title={`entered ${entries} times, ${duration(time)} in all`}>
            {entries}
            {isHolder && width !== undefined && width > 260 && <i> · {duration(time)}</i>}
          </span>
        )}
      </div>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
});
