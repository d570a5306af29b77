import { Component, type ReactNode } from "react";
import { shortened } from "../text/index.ts";

interface GuardProps {
  /** What it stands around, for people. */
  readonly name: string;
  /** Another one: it is tried again. */
  readonly trial: unknown;
  readonly children: ReactNode;
}

interface GuardState {
  readonly problem: string | undefined;
  readonly trial: unknown;
}

/** A pane that fails says so in its own place, and the others go on. At another place of the trace it is tried again. */
export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { problem: undefined, trial: this.props.trial };

  static getDerivedStateFromError(error: unknown): Partial<GuardState> {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  static getDerivedStateFromProps({ trial }: GuardProps, state: GuardState): GuardState | null {
    return trial === state.trial ? null : { problem: undefined, trial };
  }

  override render(): ReactNode {
    if (this.state.problem === undefined) return this.props.children;
    return (
      <p className="sb-absent" role="alert">
        The {this.props.name} can't be shown here: {shortened(this.state.problem, 400)}
      </p>
    );
  }
}
