import type { ReactNode } from "react";
import type { PaneProps } from "../../pane-props.ts";

/** The props of the messages, and of the conversation. */
export interface TranscriptProps extends PaneProps {
  /** The item that is shown at the top at first. Absent: what the current event changed. */
  readonly anchor?: number | undefined;
  /** Controls in the header. */
  readonly tools?: ReactNode;
}
