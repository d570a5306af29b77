import { type ReactNode, useState } from "react";

export interface FoldedProps {
  readonly summary: ReactNode;
  /** Rendered only when it is unfolded. */
  readonly children: () => ReactNode;
  readonly isOpen?: boolean;
  readonly className?: string;
}

/** Content that is folded under a summary. */
export function Folded({ summary, children, isOpen = false, className = "" }: FoldedProps): ReactNode {
  const [open, setOpen] = useState(isOpen);
  return (
    <details
      className={`text-folded ${className}`}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      {open && children()}
    </details>
  );
}
