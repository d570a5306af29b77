import { useEffect, useRef } from "react";
import { COMMANDS } from "./commands.ts";

/** All keys. */
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
        Tab goes from pane to pane, Enter on a state shows what it is, arrow keys move a border that has the
        focus. The page's address always holds the task and the place that you see.
      </p>
    </dialog>
  );
}
