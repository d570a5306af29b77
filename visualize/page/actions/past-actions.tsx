export interface PastActionsProps {
  readonly canAct: boolean;
  readonly onFork: () => void;
  readonly onLive: () => void;
}

/** The actions at an event that the user chose. */
export function PastActions({ canAct, onFork, onLive }: PastActionsProps) {
  return (
    <section className="sb-action-bar" aria-label="Actions">
      <span className="sb-action-note">You are viewing a past event.</span>
      <button type="button" disabled={!canAct} onClick={onFork}>
        Fork from here
      </button>
      <button type="button" className="sb-main" onClick={onLive}>
        Go to the end
      </button>
    </section>
  );
}
