import { type ReactNode, useState } from "react";

export interface FoldedProps {
  readonly summary: ReactNode;
  /** Made only once it is unfolded: what nobody looks at costs nothing. */
  readonly children: () => ReactNode;
  readonly isOpen?: boolean;
  readonly className?: string;
}

/** Something that is shown when it is wanted. */
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
