import { Component, type ReactNode } from "react";
import { errorText } from "../model/format.ts";
import { shortened } from "../text/printable.ts";

interface ErrorBoundaryProps {
  /** The name of its content. */
  readonly name: string;
  /** A change renders the content again. */
  readonly resetKey: unknown;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: string | undefined;
  readonly resetKey: unknown;
}

/** Show the error of a pane that fails, without affecting the others. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: undefined, resetKey: this.props.resetKey };

  static getDerivedStateFromError(cause: unknown): Partial<ErrorBoundaryState> {
    return { error: errorText(cause) };
  }

  static getDerivedStateFromProps(
    { resetKey }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): ErrorBoundaryState | null {
    return resetKey === state.resetKey ? null : { error: undefined, resetKey };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <p className="sb-placeholder" role="alert">
        The {this.props.name} can't be shown here: {shortened(this.state.error, 400)}
      </p>
    );
  }
}
