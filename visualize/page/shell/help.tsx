import { useEffect, useRef } from "react";
import { COMMANDS } from "./commands.ts";

/** The keyboard commands. */
export function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="sb-help" aria-label="Keys" onClose={onClose}>
      <header>
        <h2>Keys</h2>
        <form method="dialog">
          <button type="submit" className="sb-quiet" aria-label="Close">
            ✕
          </button>
        </form>
      </header>
      <dl>
        {COMMANDS.map(([command, , shown, what]) => (
          <div key={command}>
            <dt>
              <kbd>{shown}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p>
        Tab moves between panes, Enter on a state shows its details, and arrow keys move a focused divider,
        and Enter on it hides a pane. In the outline, arrow keys choose, fold and unfold. The address of the
        page contains the current task and event.
      </p>
    </dialog>
  );
}
